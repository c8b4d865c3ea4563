import {expect} from 'chai';
import {runCommand} from '../support/run-command.js';

describe('the flag -h', () => {
  for (const argv of [
    [],
    ['connector'],
    ['connector', 'list'],
    ['connector', 'get', 'con_1'],
    ['connector', 'list', '--status', 'online'],
  ]) {
    it(`shows the same help as --help: connectorctl ${[...argv, '-h'].join(' ')}`, async () => {
      const help = await runCommand([...argv, '--help'], {});
      expect(help).to.deep.include({code: 0, stderr: ''});
      expect(help.stdout).to.include('USAGE');
      expect(await runCommand([...argv, '-h'], {})).to.deep.equal(help);
    });
  }

  it('is an ordinary argument after --', async () => {
    const run = await runCommand(
      ['connector', 'get', '--base-url', 'http://[::1]:9', '--', '-h'],
      {},
    );
    expect(run.stdout).to.equal('');
    expect(run.code).not.to.equal(0);
  });
});

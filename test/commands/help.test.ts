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

describe('the command help', () => {
  it('suggests the command for a mistyped one', async () => {
    for (const [words, line] of [
      [['conector', 'list'], 'connector list'],
      [['connector', 'lst'], 'connector list'],
      [['doctr'], 'doctor'],
    ] as const) {
      const {code, stderr} = await runCommand(['help', ...words], {});
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        `Error: No such command: ${words.join(' ')}\n  Did you mean: connectorctl ${line}\n`,
      );
    }
  });

  it('suggests a command of a mistyped topic', async () => {
    const {stderr} = await runCommand(['help', 'conector'], {});
    expect(stderr).to.include('Did you mean: connectorctl connector');
  });

  it('shows the help of an alias, but lists none', async () => {
    expect((await runCommand(['connector', 'ls', '--help'], {})).stdout).to.include(
      'List connectors',
    );
    expect((await runCommand(['connector', '--help'], {})).stdout).not.to.match(/connector ls/);
  });
});

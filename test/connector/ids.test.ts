import {expect} from 'chai';
import {runChild} from '../support/process/child.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party.js';

describe('ids from stdin', () => {
  afterEach(closeThirdPartyServices);

  const run = async (argv: readonly string[], input: string) => {
    const {url} = await thirdPartyService((seen, response, index) => {
      const id = seen.path.split('/')[3];
      json(id === 'none' ? {} : {id, status: 'online'}, id === 'none' ? 404 : 200)(
        seen,
        response,
        index,
      );
    });
    const {code, stdout, stderr} = await runChild(argv, {
      env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'},
      input,
    });
    return {code, stdout, stderr};
  };

  it('are read once each, beside those on the command line and in their order', async () => {
    const {code, stdout} = await run(
      ['connector', 'get', 'z', '-', 'y', '-o', 'id'],
      'a\n b\r\na z\n',
    );
    expect({code, stdout}).to.deep.equal({code: 0, stdout: 'z\na\nb\ny\n'});
  });

  it('give an array with --json, also for one id and for none', async () => {
    const one = await run(['connector', 'get', '-', '--json'], 'a');
    expect(JSON.parse(one.stdout)).to.deep.equal([{id: 'a', status: 'online'}]);
    expect(await run(['connector', 'get', '-', '--json'], '')).to.deep.equal({
      code: 0,
      stdout: '[]\n',
      stderr: 'stdin holds no id: nothing was sent.\n',
    });
    expect(await run(['connector', 'heartbeat', '-', '--json'], '\n')).to.deep.equal({
      code: 0,
      stdout: '[]\n',
      stderr: 'stdin holds no id: nothing was sent.\n',
    });
  });

  it('fail a wait when there is none, because nothing was measured', async () => {
    const {code, stdout, stderr} = await run(['connector', 'get', '-', '--wait', 'online'], ' \n');
    expect({code, stdout}).to.deep.equal({code: 9, stdout: ''});
    expect(stderr).to.include('No connector is online, because stdin holds no id.');
  });

  it('get one heartbeat each, and an error exits with its code', async () => {
    const {code, stdout, stderr} = await run(['connector', 'heartbeat', '-'], 'a none b');
    expect({code, stdout}).to.deep.equal({code: 4, stdout: 'a  online\nb  online\n'});
    expect(stderr).to.include('none');
  });
});

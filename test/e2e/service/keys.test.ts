import {chmod, chown, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCli} from '../../support/command/run-cli.js';
import {runChild, startService} from '../../support/process/child.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('the key commands', () => {
  const at = temporaryDirectory();

  it('revoke the key of a connector of a running service, which then lists the reason', async () => {
    const store = ['--store', at('store')];
    const service = await startService(at('store'));
    const {stdout: made} = await runCli(['key', 'create', ...store, '--json']);
    const json = async (argv: readonly string[], key: string) => {
      const env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: key};
      const {code, stdout} = await runCli([...argv, '--json'], {env});
      return {code, body: JSON.parse(stdout)};
    };
    const {api_key: key} = JSON.parse(made);
    const {token} = (await json(['token', 'create'], key)).body;
    await writeFile(at('token'), token, {mode: 0o600});
    const activated = await json(
      ['connector', 'activate', '--token-file', at('token'), '--name', 'web-1'],
      key,
    );
    const {id, api_key: own} = activated.body;
    const beat = () => json(['connector', 'heartbeat', id], own);
    expect((await beat()).code).to.equal(0);

    const revoke = ['key', 'revoke', id, '--reason', 'laptop lost', ...store];
    const {code, stderr} = await runCli(revoke);
    expect({code, stderr}).to.deep.equal({code: 0, stderr: `Revoked the key of ${id}.\n`});
    await service.until(
      /"audit":"connector_key_revoked","connector_id":"con_\w+","organization":"default","reason":"laptop lost"/,
    );
    expect((await beat()).body.error).to.include({code: 'key_revoked'});
    const {body: listed} = await json(['connector', 'list', '--status', 'revoked'], key);
    expect(listed.map((one: {id: string}) => one.id)).to.deep.equal([id]);
    const {stdout} = await runCli(['key', 'list', ...store, '--json']);
    expect(JSON.parse(stdout).at(-1)).to.include({id, revocation_reason: 'laptop lost'});
    const unknown = await runCli(['key', 'revoke', 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV', ...store]);
    expect(unknown).to.include({code: 4, stdout: ''});
    expect(unknown.stderr).to.include('There is no connector con_01ARZ3NDEKTSV4RRFFQ69G5FAV');
    const reason = await runCli(['key', 'revoke', 'key_1', '--reason', 'two\nlines', ...store]);
    expect(reason.stderr).to.include('The reason must be 1 to 256 characters');
  });

  const isSuperuser = process.geteuid?.() === 0;
  const serviceUser = 65_534;

  const onlySuperuser: (title: string, tests: () => void) => void = isSuperuser
    ? describe
    : () => {};
  const give = async (directory: string) => {
    for (const name of ['.', ...(await readdir(directory))]) {
      await chown(join(directory, name), serviceUser, serviceUser);
    }
  };
  const contents = async (directory: string) => {
    const names = await readdir(directory);
    return Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))]));
  };

  onlySuperuser('when root runs them on a store of another user', () => {
    beforeEach(async () => {
      await makeStore(at('store'));
      await give(at('store'));
    });

    it('switch to that user, who then owns every file', async () => {
      await chmod(at('.'), 0o711);
      for (const command of [['create'], ['list']]) {
        const {code, stderr} = await runChild(['key', ...command, '--store', at('store')]);
        expect(code, stderr).to.equal(0);
      }
      const owners = (await readdir(at('store'))).map(async (name) => [
        name,
        (await stat(at('store', name))).uid,
      ]);
      const files = await Promise.all(owners);
      expect(files.map(([name]) => name)).to.include('store.jsonl');
      expect(files.filter(([, uid]) => uid !== serviceUser)).to.deep.equal([]);
    });

    for (const command of [
      ['key', 'create'],
      ['serve', '--port', '0'],
    ]) {
      it(`write nothing when they cannot switch to that user: ${command.join(' ')}`, async () => {
        // `key` cannot switch to a user who has no access to the store; `serve` never switches.
        await chmod(at('.'), command[0] === 'key' ? 0o700 : 0o711);
        const before = await contents(at('store'));
        const {code, stderr} = await runChild([...command, '--store', at('store')]);
        expect(code).to.equal(2);
        expect(stderr).to.include(`belongs to user id ${serviceUser}`);
        expect(stderr).to.include(`sudo -u '#${serviceUser}'`);
        expect(await contents(at('store'))).to.deep.equal(before);
      });
    }
  });
});

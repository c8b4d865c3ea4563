import {existsSync} from 'node:fs';
import {chmod, chown, mkdir, readdir, stat} from 'node:fs/promises';
import {expect} from 'chai';
import {runChild} from '../support/child.js';
import {temporaryFolder} from '../support/temporary-folder.js';

describe('keys of a store, by child processes', () => {
  const at = temporaryFolder();

  for (const command of [['list'], ['revoke', 'key_1']]) {
    it(`key ${command[0]} makes no store where a path is mistyped`, async () => {
      const argv = ['key', ...command, '--store', at('stroe')];
      const [human, machine] = [await runChild(argv), await runChild([...argv, '--json'])];
      expect(human).to.deep.equal({
        code: 4,
        stdout: '',
        stderr: `Error: There is no store at ${at('stroe')}.\n  Name the store with --store. connectorctl serve makes a new one, and so does key create.\n`,
      });
      expect(machine.code).to.equal(4);
      expect(JSON.parse(machine.stdout).error).to.include({kind: 'not_found', exit_code: 4});
      expect(existsSync(at('stroe'))).to.equal(false);
    });
  }

  it('key create makes one, and list and revoke then work on it', async () => {
    const run = async (...argv: string[]) => {
      const {code, stdout} = await runChild(['key', ...argv, '--store', at('store'), '--json']);
      expect(code, stdout).to.equal(0);
      return JSON.parse(stdout);
    };
    const {api_key: _, ...key} = await run('create', '--org', 'acme');
    expect(await run('list')).to.deep.equal([key]);
    expect(await run('revoke', key.id))
      .to.include({id: key.id})
      .and.not.include(key);
  });

  const isSuperuser = process.geteuid?.() === 0;
  const serviceUser = 65_534;

  const onlySuperuser: (title: string, tests: () => void) => void = isSuperuser
    ? describe
    : () => {};
  onlySuperuser('for the superuser, on the store of a service user', () => {
    beforeEach(async () => {
      await mkdir(at('store'), {mode: 0o700});
      await chown(at('store'), serviceUser, serviceUser);
    });

    it('act as that user, so that every file stays the service user’s', async () => {
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
      expect(files.map(([name]) => name)).to.include('store.json');
      expect(files.filter(([, uid]) => uid !== serviceUser)).to.deep.equal([]);
    });

    for (const command of [
      ['key', 'create'],
      ['serve', '--port', '0'],
    ]) {
      it(`${command.join(' ')} refuses it where it cannot act as that user, and writes nothing`, async () => {
        // `key` cannot where that user does not reach the store; `serve` never does.
        await chmod(at('.'), command[0] === 'key' ? 0o700 : 0o711);
        const {code, stderr} = await runChild([...command, '--store', at('store')]);
        expect(code).to.equal(2);
        expect(stderr).to.include(`belongs to user id ${serviceUser}`);
        expect(stderr).to.include(`sudo -u '#${serviceUser}'`);
        expect(await readdir(at('store'))).to.deep.equal([]);
      });
    }
  });
});

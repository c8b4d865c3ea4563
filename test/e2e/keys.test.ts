import {existsSync} from 'node:fs';
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
});

import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('key revoke', () => {
  const at = temporaryDirectory();
  beforeEach(() => makeStore(at('store')));
  const key = (...words: string[]) => runCommand(['key', ...words, '--store', at('store')]);
  const create = async () => JSON.parse((await key('create', '--json')).stdout);

  it('confirms the revocation, even if the key is already revoked', async () => {
    const {id} = await create();
    for (let time = 0; time < 2; time += 1) {
      expect(await key('revoke', id)).to.deep.equal({
        code: 0,
        stdout: '',
        stderr: `Revoked ${id}.\n`,
      });
    }
  });

  it('exits with 4 if no key has the id', async () => {
    await create();
    expect(await key('revoke', 'key_none')).to.deep.equal({
      code: 4,
      stdout: '',
      stderr:
        'Error: There is no API key key_none.\n  See the ids of all keys with: connectorctl key list\n',
    });
  });

  it('rejects an API key in place of its id, without repeating the key', async () => {
    const {api_key: secret} = await create();
    const {code, stdout, stderr} = await key('revoke', secret);
    expect(code).to.equal(2);
    expect(stdout + stderr)
      .to.include("That is an API key, not a key's public id.")
      .and.not.include(secret);
  });
});

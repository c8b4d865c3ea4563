import {expect} from 'chai';
import {runCommand} from '../../support/run-command.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('key revoke', () => {
  const at = temporaryDirectory();
  const key = (...words: string[]) => runCommand(['key', ...words, '--store', at('store')]);
  const create = async () => JSON.parse((await key('create', '--json')).stdout);

  it('says what it revoked, and the same when it was revoked before', async () => {
    const {id} = await create();
    for (let time = 0; time < 2; time += 1) {
      expect(await key('revoke', id)).to.deep.equal({
        code: 0,
        stdout: '',
        stderr: `Revoked ${id}.\n`,
      });
    }
  });

  it('gives the record under --json; the time does not change when it is revoked again', async () => {
    const {api_key: _, revoked_at: __, ...record} = await create();
    const first = await key('revoke', record.id, '--json');
    const {revoked_at: at, ...rest} = JSON.parse(first.stdout);
    expect(rest).to.deep.equal(record);
    expect(new Date(at).toISOString()).to.equal(at);
    expect(await key('revoke', record.id, '--json')).to.deep.equal(first);
  });

  it('exits 4 for an id that there is not', async () => {
    await create();
    expect(await key('revoke', 'key_none')).to.deep.equal({
      code: 4,
      stdout: '',
      stderr:
        'Error: There is no API key key_none.\n  See the ids of all keys with: connectorctl key list\n',
    });
  });

  it('does not take the key for its id, nor repeat it', async () => {
    const {api_key: secret} = await create();
    const {code, stdout, stderr} = await key('revoke', secret);
    expect(code).to.equal(2);
    expect(stdout + stderr)
      .to.include("That is an API key, not a key's public id.")
      .and.not.include(secret);
  });
});

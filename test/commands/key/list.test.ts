import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('key list', () => {
  const at = temporaryDirectory();
  beforeEach(() => makeStore(at('store')));
  const key = (...words: string[]) => runCommand(['key', ...words, '--store', at('store')]);
  const create = async (...flags: string[]) =>
    JSON.parse((await key('create', '--json', ...flags)).stdout);

  it('writes a table of all keys, without secrets', async () => {
    const first = await create('--organization', 'acme', '--description', 'for ci');
    const second = await create('--organization', 'b', '--access', 'read', '--expires', '1h');
    const revoked = JSON.parse(
      (await key('revoke', second.id, '--reason', 'left', '--json')).stdout,
    );
    const {code, stdout, stderr} = await key('list');
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(stdout.trimEnd().replaceAll(/ {2,}/g, '|').split('\n')).to.deep.equal([
      'ID|ORGANIZATION|ACCESS|DESCRIPTION|CREATED|LAST USED|EXPIRES|REVOKED|REASON',
      `${first.id}|acme|full|for ci|${first.created_at}|never|-|-|-`,
      `${second.id}|b|read|-|${second.created_at}|never|${second.expires_at}|${revoked.revoked_at}|left`,
    ]);
  });

  it('writes all keys as JSON with --json, without secrets', async () => {
    const {api_key: secret, ...record} = await create('--description', 'for ci');
    const {code, stdout, stderr} = await key('list', '--json');
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(JSON.parse(stdout)).to.deep.equal([record]);
    expect(stdout).not.to.include(secret);
  });
});

import {readdirSync, truncateSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('store check', () => {
  const at = temporaryDirectory();
  const check = (...words: string[]) => runCommand(['store', 'check', ...words]);

  it('prints what an intact store holds, as text and as JSON', async () => {
    await makeStore(at('store'));
    const files = readdirSync(at('store'));
    const {code, stdout, stderr} = await check(at('store'));
    expect([code, stderr]).to.deep.equal([0, 'The store is intact.\n']);
    expect(stdout).to.match(/^store +\/.*\nversion +\d+\ncreated at .*\napi keys +0\ntokens +0\n/);
    const json = await check(at('store'), '--json');
    expect(json.stderr).to.equal('');
    const {created_at, bytes, version, ...rest} = JSON.parse(json.stdout);
    expect([typeof bytes, typeof version]).to.deep.equal(['number', 'number']);
    expect(new Date(created_at).toISOString()).to.equal(created_at);
    expect(rest).to.deep.equal({
      store: at('store'),
      api_keys: 0,
      tokens: 0,
      connectors: 0,
      latest_heartbeat_at: null,
      unfinished_bytes: 0,
    });
    expect(readdirSync(at('store'))).to.deep.equal(files);
  });

  it('exits with 6 for a damaged copy, 4 without a store and 2 for a database, and says what to do', async () => {
    await makeStore(at('store'));
    truncateSync(at('store', 'store.jsonl'), 40);
    for (const [location, code, hint] of [
      [at('store'), 6, 'copy again'],
      [at('nothing'), 4, 'store.jsonl'],
      ['postgres://db.example/connectors', 2, 'store copy'],
    ] as const) {
      const run = await check(location);
      expect([run.code, run.stdout]).to.deep.equal([code, '']);
      expect(run.stderr).to.include(hint);
    }
  });
});

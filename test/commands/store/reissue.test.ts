import {expect} from 'chai';
import {openStore} from '../../../src/store/open.js';
import {runCommand} from '../../support/command/run-command.js';
import {runScript} from '../../support/process/child.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, sampleApiKey} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('store reissue', () => {
  const at = temporaryDirectory();
  let id: string;
  beforeEach(async () => {
    const store = await openStore(at('store'), {log: new RecordedLog(), now: Date.now});
    await store.createApiKey(sampleApiKey());
    ({id} = await activate(store, {name: 'web-1'}));
    await store.close();
  });
  const reissue = (...words: string[]) =>
    runCommand(['store', 'reissue', ...words, '--store', at('store')]);

  it('prints the token alone on stdout, and says what becomes of the old key', async () => {
    const {code, stdout, stderr} = await reissue(id);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^act_[\w-]+\n$/);
    expect(stderr)
      .to.include(`The token gives ${id} (web-1) a new key, and expires at `)
      .and.include('The old key works until the token is used.')
      .and.include(
        'connector activate --force --name web-1 --token-file TOKEN_FILE --credentials-file FILE',
      );
  });

  it('says that --revoke-now locks the connector out, and writes JSON', async () => {
    expect((await reissue(id, '--revoke-now')).stderr).to.include(
      'locked out until the token is used.',
    );
    const {code, stdout} = await reissue(id, '--json');
    expect(code).to.equal(0);
    const {token, expires_at, connector, ...rest} = JSON.parse(stdout);
    expect(rest).to.deep.equal({});
    expect(token).to.match(/^act_/);
    expect(new Date(expires_at).toISOString()).to.equal(expires_at);
    expect(connector).to.include({id, name: 'web-1', organization: 'acme'});
    expect(connector.revoked_at).to.be.a('string');
  });

  it('says where the ids are for the name of a connector', async () => {
    const {code, stderr} = await runCommand(['store', 'reissue', 'web-1', '--store', at('store')]);
    expect(code).to.equal(4);
    expect(stderr).to.include('See the ids of connectors with: connectorctl connector list');
  });

  it('creates nothing that would be lost, and neither do key create and token create', async () => {
    for (const command of [`store reissue ${id}`, 'key create', 'token create --json']) {
      const script = `connectorctl ${command} >&-`;
      const env = {CONNECTORCTL_STORE: at('store'), CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1'};
      const {code, stderr} = await runScript(['-c', script], {directory: at(), env});
      expect({command, code}).to.deep.equal({command, code: 2});
      expect(stderr).to.include('would be lost: stdout is closed or discarded');
    }
  });

  it('exits with 4 for an unknown id, and with 2 for a token in place of the id', async () => {
    expect((await reissue('con_1')).code).to.equal(4);
    const token = (await reissue(id)).stdout.trim();
    const {code, stdout, stderr} = await reissue(token);
    expect(code).to.equal(2);
    expect(stdout + stderr).not.to.include(token);
  });
});

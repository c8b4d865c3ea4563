import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {savedCredentials} from '../../support/command/credentials.js';
import {runCommand} from '../../support/command/run-command.js';
import {baseUrl, nockedService} from '../../support/services/nocked.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {organizationKey} from '../../support/values/secrets.js';

const env = {CONNECTORCTL_BASE_URL: baseUrl, CONNECTORCTL_API_KEY: organizationKey()};

describe('connector heartbeat', () => {
  const service = nockedService();
  const at = temporaryDirectory();
  const beat = (...words: string[]) => runCommand(['connector', 'heartbeat', ...words], env);

  const accepted = () => ({
    id: 'con_1',
    status: 'online',
    last_heartbeat_at: new Date().toISOString(),
    next_heartbeat_seconds: 60,
    extra: true,
  });

  it('shows the status of the connector and when to send the next heartbeat', async () => {
    const body = {...accepted(), last_heartbeat_at: '2020-01-02T03:04:05.000Z'};
    service.response('heartbeat', {body}, 'con_1');
    const {stdout, ...rest} = await beat('con_1');
    expect(rest).to.deep.equal({code: 0, stderr: ''});
    expect(stdout).to.equal('con_1  online  at 2020-01-02T03:04:05.000Z  next within 60s\n');
  });

  it('warns of an empty 200, which a proxy may have sent, and names what sent it', async () => {
    const headers = {'content-type': 'text/plain', server: 'Caddy'};
    service.response('heartbeat', {headers}, 'con_1');
    const {code, stderr} = await beat('con_1');
    expect(code).to.equal(0);
    expect(stderr).to.equal(
      'Warning: Caddy answered 200 with an empty response, as some proxies do for a host that they do not serve. Check the base URL, and the proxies and gateways between here and the service.\n',
    );
    service.response('heartbeat', {headers, status: 202}, 'con_1');
    expect(await beat('con_1')).to.include({code: 0, stderr: ''});
  });

  it('rejects a command line without a connector id', async () => {
    expect(await beat()).to.deep.equal({
      code: 2,
      stdout: '',
      stderr:
        'Error: Missing connector id.\n' +
        '  Pass the id, or --credentials-file PATH with the file that activate or enroll wrote.\n',
    });
  });

  describe('with a credentials file', () => {
    const credentials = savedCredentials({base_url: 'https://its-own.test'});
    const write = (content: unknown) => {
      writeFileSync(at('web-1.json'), JSON.stringify(content));
      return ['--credentials-file', at('web-1.json')];
    };

    it('requires the id as an argument if the file has none', async () => {
      const flags = write({...credentials, connector_id: null});
      service.response('heartbeat', {status: 204, at: credentials.base_url}, 'con_9');
      expect(await beat('con_9', ...flags)).to.deep.include({code: 0});
      const unnamed = await beat(...flags);
      expect(unnamed).to.deep.include({code: 2, stdout: ''});
      expect(unnamed.stderr).to.include('has no connector id');
    });

    it('rejects an empty path, which an unset variable gives, but not an empty CONNECTORCTL_CREDENTIALS_FILE', async () => {
      const {code, stderr} = await beat('--credentials-file', '');
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        'Error: --credentials-file is empty.\n  Set a value; an unset shell variable is empty.\n',
      );
      service.response('heartbeat', {status: 204}, 'con_1');
      const argv = ['connector', 'heartbeat', 'con_1'];
      const own = await runCommand(argv, {...env, CONNECTORCTL_CREDENTIALS_FILE: ''});
      expect(own.code).to.equal(0);
    });

    it('rejects a file that is not a credentials file', async () => {
      for (const content of ['text', {}, {...credentials, api_key: 7}]) {
        const {code, stderr} = await beat(...write(content));
        expect(code).to.equal(2);
        expect(stderr).to.include('is not a credentials file');
      }
      expect(service.sent).to.deep.equal([]);
    });
  });
});

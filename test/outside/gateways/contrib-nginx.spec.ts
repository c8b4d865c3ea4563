import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {type Agent, Agent as HttpsAgent, request} from 'node:https';
import {text} from 'node:stream/consumers';
import {expect} from 'chai';
import {certificate, privateKey} from '../../support/network/certificates.js';
import {firstKeyFile, runChild, type Service, startService} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';
import {contrib, nginxConfiguration, type RunningGateway, startGateway} from './gateways.js';

describeWith(['nginx'], 'contrib/nginx/connectorctl.conf', () => {
  const at = temporaryDirectory();
  let service: Service;
  let nginx: RunningGateway;
  let port: number;

  beforeEach(async () => {
    service = await startService(at('store'), ['--activation-failure-limit', '3'], {
      env: {CONNECTORCTL_TRUST_PROXY: 'loopback'},
    });
    writeFileSync(at('cert.pem'), certificate);
    writeFileSync(at('key.pem'), privateKey);
    nginx = await startGateway('nginx', Number(new URL(service.url).port), (place) =>
      nginxConfiguration(place, (text) =>
        text
          .replace(/^ *listen \[::\].*\n/m, '')
          .replace('listen 443', `listen 127.0.0.1:${place.port}`)
          .replace(/\S+\/connectors\.example\.pem/, at('cert.pem'))
          .replace(/\S+\/connectors\.example\.key/, at('key.pem')),
      ),
    );
    port = Number(new URL(nginx.url).port);
  });
  afterEach(async () => {
    await nginx?.close();
    await service?.stop('SIGKILL');
  });

  const send = async (
    path: string,
    options: {agent?: Agent; body?: string; headers?: Record<string, string>} = {},
  ) => {
    const {agent, body, headers = {}} = options;
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      ca: certificate,
      method: body === undefined ? 'GET' : 'POST',
      headers: {...headers, ...(body !== undefined && {'content-type': 'application/json'})},
      ...(agent && {agent}),
    }).end(body);
    const [response] = await once(sent, 'response');
    return {status: response.statusCode, headers: response.headers, body: await text(response)};
  };

  it('serves the operations over TLS, and hides the metrics', async () => {
    const env = {
      CONNECTORCTL_BASE_URL: `https://127.0.0.1:${port}`,
      CONNECTORCTL_API_KEY_FILE: await firstKeyFile(service),
      NODE_EXTRA_CA_CERTS: at('cert.pem'),
    };
    const token = await runChild(['token', 'create'], {env});
    const words = ['connector', 'activate', '--name', 'web-1', '--json'];
    const activated = await runChild(words, {
      env: {...env, CONNECTORCTL_ACTIVATION_TOKEN: token.stdout.trim()},
    });
    expect(activated.code, activated.stderr).to.equal(0);
    const sent = await runChild(['connector', 'heartbeat', JSON.parse(activated.stdout).id], {
      env,
    });
    expect(sent.code, sent.stderr).to.equal(0);
    expect((await send('/metrics')).status).to.equal(404);
  });

  it('responds with a problem and Retry-After while the service is down', async () => {
    await service.stop('SIGKILL');
    const {status, headers, body} = await send('/api/connectors');
    expect(status).to.equal(502);
    expect(headers).to.include({'content-type': 'application/problem+json', 'retry-after': '5'});
    expect(JSON.parse(body)).to.include({status: 502, code: 'bad_gateway'});
  });

  it('refuses more requests at once from an address than its limit', async () => {
    const [, limit = ''] =
      /limit_conn connectorctl (\d+);/.exec(contrib('nginx', 'connectorctl.conf')) ?? [];
    const agent = new HttpsAgent({maxSockets: Number(limit) + 1});
    // Their bodies never end, so that each keeps its connection.
    const open = Array.from({length: Number(limit)}, () => {
      const headers = {'content-type': 'application/json', 'content-length': '100'};
      const path = '/api/connectors/activate';
      const to = {host: '127.0.0.1', port, path, method: 'POST', headers, ca: certificate, agent};
      const sent = request(to).on('error', () => {});
      sent.write('{');
      return sent;
    });
    try {
      let answer = await send('/healthz');
      while (answer.status === 200) answer = await send('/healthz');
      expect(answer.status).to.equal(429);
      expect(answer.headers['retry-after']).to.equal('5');
      expect(JSON.parse(answer.body)).to.include({code: 'too_many_connections'});
    } finally {
      for (const sent of open) sent.destroy();
    }
    let answer = await send('/healthz');
    while (answer.status === 429) answer = await send('/healthz');
    expect(answer.status).to.equal(200);
  });
});

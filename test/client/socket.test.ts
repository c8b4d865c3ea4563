import {writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {expect} from 'chai';
import {hintFor} from '../../src/cli/errors/hints.js';
import {plainHttpNotice} from '../../src/cli/service/plain-http-warning.js';
import {checkedUrl, isSameService} from '../../src/client/settings.js';
import {socketPath} from '../../src/client/socket-url.js';
import {all, clientWithoutDelays, failure} from '../support/client.js';
import {runCommand} from '../support/run-command.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  inTurn,
  json,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';

const apiKey = 'sesame';
const to = (location: string, status = 307): Respond => json('', status, {location});

describe('a base URL that names a Unix socket', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  const atSocket = (respond: Respond) => thirdPartyService(respond, undefined, at('s.sock'));

  it('sends requests with the key and the path prefix to the socket, for the host localhost', async () => {
    const service = await atSocket(json({id: 'con_1'}));
    for (const prefix of ['', ':/v1']) {
      const {client} = clientWithoutDelays(`${service.url}${prefix}`, {apiKey});
      expect(await client.getConnector('con_1')).to.include({id: 'con_1'});
    }
    expect(service.seen.map(({path}) => path)).to.deep.equal([
      '/api/connectors/con_1',
      '/v1/api/connectors/con_1',
    ]);
    for (const {headers} of service.seen) {
      expect(headers).to.include({host: 'localhost', authorization: 'Bearer sesame'});
    }
  });

  it('needs no proxy, although the environment names one', async () => {
    const service = await atSocket(json([]));
    const variables = {HTTP_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9'};
    const run = await runCommand(['connector', 'list', '--base-url', service.url], variables);
    expect(run).to.include({code: 0});
    expect(service.seen).to.have.length(1);
  });

  it('causes no warning about plain HTTP', () => {
    const secrets = {hasKey: true, sendsToken: true};
    expect(plainHttpNotice('unix:/run/x.sock', secrets)).to.equal(undefined);
  });

  it('reads all pages, by relative links and by links to localhost', async () => {
    const link = (target: string) => ({link: `<${target}>; rel="next"`});
    const service = await atSocket(
      inTurn(
        json([{id: 'a'}], 200, link('?page=2')),
        json([{id: 'b'}], 200, link('http://localhost/api/connectors?page=3')),
        json([{id: 'c'}]),
      ),
    );
    const {client} = clientWithoutDelays(service.url, {apiKey});
    expect((await all(client.listConnectors())).map(({id}) => id)).to.deep.equal(['a', 'b', 'c']);
    for (const {headers} of service.seen) expect(headers.authorization).to.equal('Bearer sesame');
  });

  it('follows redirects at the socket, with the key', async () => {
    const service = await atSocket(
      inTurn(to('/moved'), to('http://localhost/again'), json({id: 'con_1'})),
    );
    await clientWithoutDelays(service.url, {apiKey}).client.getConnector('con_1');
    expect(service.seen.map(({path}) => path).slice(1)).to.deep.equal(['/moved', '/again']);
    expect(service.seen[2]?.headers.authorization).to.equal('Bearer sesame');
  });

  it('follows no redirect and no link to another address', async () => {
    const stranger = await thirdPartyService(json([{id: 'x'}]));
    const link = {link: `<${stranger.url}/more>; rel="next"`};
    const service = await atSocket(inTurn(to(stranger.url), json([{id: 'a'}], 200, link)));
    const {client} = clientWithoutDelays(service.url, {apiKey});
    const redirect = await failure(() => client.getConnector('a'));
    expect(redirect).to.include({reason: 'redirect-not-followed'});
    expect(hintFor(redirect)).to.include(stranger.url);
    const next = await failure(() => all(client.listConnectors()));
    expect(next.message).to.include(`its next page is at ${stranger.url}, outside the socket`);
    expect(stranger.seen).to.deep.equal([]);
  });

  it('is named in an error of the service', async () => {
    const service = await atSocket(inTurn(json({}, 404), json({}, 404), to('/there', 303)));
    const {client} = clientWithoutDelays(`${service.url}:/v1`);
    const unknown = await failure(() => client.getConnector('con_1'));
    expect(unknown.message).to.include(`unix:${at('s.sock')}:/v1 returned 404`);
    const {client: long} = clientWithoutDelays(`${service.url}:/v1/api/connectors`);
    expect(hintFor(await failure(() => long.getConnector('con_1')))).to.equal(
      `Leave /api/connectors out of the base URL: unix:${at('s.sock')}:/v1`,
    );
    const moved = await failure(() => client.sendHeartbeat('con_1'));
    expect(hintFor(moved)).to.include(`It redirects to unix:${at('s.sock')}:/there.`);
  });

  it('is named in the error when nothing listens, and when there is no socket', async () => {
    const {client} = clientWithoutDelays(`unix:${at('s.sock')}`);
    const missing = await failure(() => client.getConnector('a'));
    expect(missing).to.include({kind: 'unavailable', reason: 'socket-missing'});
    expect(missing.message).to.include(`there is no socket at unix:${at('s.sock')} (ENOENT)`);
    expect(hintFor(missing)).to.include('path of the socket');
    // A file at the place of a socket refuses connections, as the socket of a dead process does.
    writeFileSync(at('file'), '');
    const refusing = clientWithoutDelays(`unix:${at('file')}`);
    const refused = await failure(() => refusing.client.getConnector('a'));
    expect(refused.message).to.include(`nothing listens at unix:${at('file')}`);
    expect(hintFor(refused)).to.include('Check that the service runs');
  });

  it('is named in the error for a response that is not HTTP', async () => {
    const server = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(at('s.sock'), resolve));
    try {
      const {client} = clientWithoutDelays(`unix:${at('s.sock')}`);
      const error = await failure(() => client.getConnector('a'));
      expect(error.message).to.include(`unix:${at('s.sock')} is not HTTP`);
    } finally {
      server.close();
    }
  });

  it('is the same in every spelling', () => {
    expect(checkedUrl('unix:///run/x.sock/')).to.equal('unix:/run/x.sock');
    expect(checkedUrl('UNIX:/run/x.sock:/')).to.equal('unix:/run/x.sock');
    expect(checkedUrl(' unix:/run/x.sock:/v1/ ')).to.equal('unix:/run/x.sock:/v1');
    expect(isSameService('unix:///run/x.sock', 'unix:/run/x.sock:/')).to.equal(true);
    expect(isSameService('unix:/run/x.sock', 'unix:/run/y.sock')).to.equal(false);
    expect(socketPath(new URL('unix:/run/a%20b%3A.sock:/v1'))).to.equal('/run/a b:.sock');
  });

  for (const [url, defect] of [
    ['unix:', 'names no absolute path of a socket'],
    ['unix:./x.sock', 'names no absolute path of a socket'],
    ['unix://run/x.sock', 'names no absolute path of a socket'],
    ['unix:/run/x.sock?a=b', 'must not have a query or a fragment'],
    ['unix:/run/%zz.sock', 'is not a URL'],
    ['unix:/run/%00.sock', 'zero byte'],
    [`unix:/run/${'a'.repeat(110)}.sock`, 'is longer than 10'],
  ] as const) {
    it(`is refused as ${url.slice(0, 30)}`, async () => {
      const error = await failure(async () => clientWithoutDelays(url));
      expect(error).to.include({kind: 'usage', reason: 'base-url-invalid'});
      expect(error.message).to.include(defect);
      expect(hintFor(error)).to.include('unix:/run/service.sock');
    });
  }

  it('is tested by doctor: the socket, HTTP and the key', async () => {
    const service = await atSocket(json([]));
    const run = await runCommand(['doctor', '--json', '--base-url', service.url], {
      CONNECTORCTL_API_KEY: apiKey,
      XDG_CONFIG_HOME: at(),
    });
    const {findings} = JSON.parse(run.stdout) as {findings: {name: string; verdict: string}[]};
    expect(findings.map(({name, verdict}) => `${name} ${verdict}`)).to.deep.equal([
      'socket ok',
      'HTTP ok',
      'clock ok',
      'key ok',
    ]);
    await service.close();
    const gone = await runCommand(['doctor', '--base-url', service.url], {XDG_CONFIG_HOME: at()});
    expect(gone.code).to.equal(6);
    expect(gone.stdout).to.include(`there is no socket at unix:${at('s.sock')}`);
  });

  it('is refused by conformance and by the commands of a sandbox, which need a port', async () => {
    const url = 'unix:/run/x.sock';
    for (const words of [['conformance'], ['sandbox', 'status']]) {
      const run = await runCommand([...words, '--base-url', url], {XDG_CONFIG_HOME: at()});
      expect(run.code).to.equal(2);
      expect(run.stderr).to.include(url).and.to.include('--base-url http://127.0.0.1:PORT');
    }
  });
});

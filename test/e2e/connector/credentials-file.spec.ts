import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import {runChild} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, type Seen, thirdPartyService} from '../../support/third-party.js';
import {activationToken, connectorKey} from '../../support/values/secrets.js';

const tokenOf = ({body}: Seen) => JSON.parse(body).token as string;

describe('several processes that start with one credentials file at the same time', () => {
  const at = temporaryDirectory();
  const file = () => at('web-1.json');

  it('activates one connector, although the service knows no idempotency keys', async () => {
    const used = new Set<string>();
    const {url, seen} = await thirdPartyService(async (request, response, index) => {
      const respond = (body: object, status: number) =>
        json(body, status)(request, response, index);
      if (request.path.endsWith('/heartbeat')) return respond({id: 'con_1', status: 'online'}, 200);
      if (used.has(tokenOf(request))) return respond({message: 'the token is used'}, 409);
      used.add(tokenOf(request));
      await delay(500);
      respond({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201);
    });
    writeFileSync(at('token'), activationToken(), {mode: 0o600});
    const options = {env: {CONNECTORCTL_BASE_URL: url}};
    const words = ['--name', 'web-1', '--credentials-file', file(), '--token-file', at('token')];
    const starts = [1, 2].map(() =>
      liveChild(['connector', 'run', '--every', '1s', ...words], options),
    );
    const activate = ['connector', 'activate', ...words];
    const runs = await Promise.all([1, 2, 3].map(() => runChild(activate, options)));
    for (const {code, stderr} of runs) expect(code, stderr).to.equal(0);
    for (const start of starts) await start.until(/online/);
    expect(seen.filter(({path}) => path.endsWith('/activate'))).to.have.length(1);
    for (const start of starts) start.signal('SIGTERM');
    for (const start of starts) await start.ended();
    expect(readdirSync(at()).sort()).to.deep.equal(['token', 'web-1.json']);
  });
});

describe('an activation whose stdout is closed or discarded', () => {
  const at = temporaryDirectory();

  for (const redirection of ['>&-', '> /dev/null']) {
    it(`sends no request with ${redirection}`, async () => {
      const {url, seen} = await thirdPartyService(
        json({id: 'con_1', api_key: connectorKey()}, 201),
      );
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
      const under = ['sh', '-c', `"$@" ${redirection}`, 'sh'];
      const activate = ['connector', 'activate', '--name', 'web-1'];
      const run = await runChild(activate, {env, under});
      expect(run.code).to.equal(2);
      expect(run.stderr)
        .to.include('stdout is closed or discarded')
        .and.include('--credentials-file PATH');
      expect(seen).to.deep.equal([]);
      await runChild([...activate, '--credentials-file', at('web-1.json')], {env, under});
      expect(readFileSync(at('web-1.json'), 'utf8')).to.include(connectorKey());
    });
  }
});

describe('an activation without a credentials file', () => {
  const at = temporaryDirectory();
  const activate = ['connector', 'activate', '--name', 'web-1', '--retries', '0'];

  /** A service whose first response is lost. */
  const losing = () =>
    thirdPartyService(
      inTurn(
        (_, response) => response.destroy(),
        json({id: 'con_1', api_key: connectorKey()}, 201),
      ),
    );

  it('says after a lost response that the credential is lost, and leaves no file', async () => {
    const {url, seen} = await losing();
    const token = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
    const env = {CONNECTORCTL_BASE_URL: url, ...token};
    const {code, stderr} = await runChild(activate, {env});
    expect(code).to.equal(6);
    expect(stderr)
      .to.include('with: connectorctl connector list')
      .and.include('--credentials-file PATH');
    expect(readdirSync(at())).to.deep.equal([]);
    expect((await runChild(activate, {env})).code).to.equal(0);
    expect(new Set(seen.map(({headers}) => headers['idempotency-key'])).size).to.equal(2);
  });
});

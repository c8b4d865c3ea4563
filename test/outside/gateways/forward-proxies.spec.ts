import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {
  json,
  type Respond,
  type ThirdPartyService,
  thirdPartyService,
} from '../../support/third-party.js';
import {describeWith} from '../installed.js';
import {
  cut,
  type Gateway,
  list,
  type RunningGateway,
  squidAlone,
  startGateway,
} from './gateways.js';

interface ForwardProxy extends Pick<Gateway, 'configuration'> {
  /** The status of CONNECT while nothing listens at the service. */
  readonly dead: number;
}

/** A proxy that wants `user:pa55-word`, and opens tunnels to the port of the service alone. */
const proxies = {
  squid: {
    configuration: ({port, service, directory}) => {
      const hash = execFileSync('openssl', ['passwd', '-apr1', 'pa55-word'], {encoding: 'utf8'});
      writeFileSync(join(directory, 'users'), `user:${hash}`);
      return `
        http_port 127.0.0.1:${port}
        auth_param basic program /usr/lib/squid/basic_ncsa_auth ${directory}/users
        acl users proxy_auth REQUIRED
        acl open port ${service}
        http_access deny !open
        http_access allow users
        http_access deny all
        connect_retries 0
        ${squidAlone(directory)}
      `;
    },
    dead: 503,
  },
  tinyproxy: {
    configuration: ({port, service, directory}) => `
      Port ${port}
      Listen 127.0.0.1
      LogFile "${directory}/log"
      BasicAuth user pa55-word
      ConnectPort ${service}
    `,
    dead: 500,
  },
} as const satisfies Readonly<Record<string, ForwardProxy>>;

for (const name of ['squid', 'tinyproxy'] as const) {
  const {configuration, dead} = proxies[name];

  describeWith([name], `a service that is reached through the proxy ${name}`, () => {
    let respond: Respond = json(list);
    let service: ThirdPartyService;
    let proxy: RunningGateway;
    let port: number;

    before(async () => {
      service = await thirdPartyService((...call) => respond(...call));
      port = Number(new URL(service.url).port);
      proxy = await startGateway(name, port, configuration);
    });
    after(async () => {
      await proxy?.close();
      await service.close();
    });
    afterEach(() => {
      delete process.env['HTTP_PROXY'];
    });

    /** A client of a port of this machine, by an address that does not count as its own. */
    const through = (login: string, at = port) => {
      process.env['HTTP_PROXY'] = proxy.url.replace('//', `//${login}`);
      return clientWithoutDelays(`http://0.0.0.0:${at}`, {apiKey: 'k3y'}).client;
    };
    const right = 'user:pa55%2Dword@';

    it('gives 5,000 connectors whole, and gets the key', async () => {
      expect(await all(through(right).listConnectors())).to.have.length(5000);
      expect(service.seen[0]?.headers).to.include({authorization: 'Bearer k3y'});
      expect(service.seen[0]?.headers).to.not.have.any.keys('proxy-authorization', 'via');
    });

    it('never gives a part of a list that breaks off', async () => {
      respond = cut;
      const error = await failure(() => all(through(right).listConnectors()));
      expect(error.reason).to.equal('connection-lost');
    });

    for (const [what, login] of [
      ['a wrong', 'user:other@'],
      ['no', ''],
    ] as const) {
      it(`is not asked with ${what} password, and the variable is named`, async () => {
        service.seen.length = 0;
        const error = await failure(() => through(login).sendHeartbeat('con_1'));
        expect(error.reason).to.equal('proxy-authentication-required');
        expect(error.message).to.include(`the proxy ${proxy.url} wants the right user name`);
        expect(hintFor(error)).to.match(/^Write them into HTTP_PROXY: /);
        expect(service.seen).to.deep.equal([]);
      });
    }

    it('is not asked at a port that the proxy refuses', async () => {
      const error = await failure(() => through(right, 1).sendHeartbeat('con_1'));
      expect(error.reason).to.equal('proxy-refused');
      expect(error.message).to.match(
        /refuses to connect to http:\/\/0\.0\.0\.0:1 \(CONNECT 403\)$/,
      );
    });

    it('may come back after the proxy did not reach it', async () => {
      await service.close();
      const error = await failure(() => through(right).sendHeartbeat('con_1'));
      expect(error).to.include({reason: 'proxy-failed', isTransient: true});
      expect(error.message).to.include(`(CONNECT ${dead})`);
    });
  });
}

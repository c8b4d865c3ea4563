import {join} from 'node:path';
import {expect} from 'chai';
import {runCli} from '../../support/command/run-cli.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {describeWith} from '../installed.js';
import {type Gateway, gateways, startGateway} from './gateways.js';

interface Cache extends Pick<Gateway, 'configuration'> {
  /** Whether it tells the age of a response (RFC 9111 §4.2.3); else it gives it a new `Date`. */
  readonly hasAge: boolean;
}

/** Gateways that keep responses to requests with a key, although the client asks for new ones. */
const caches: Readonly<Record<'nginx' | 'varnish', Cache>> = {
  varnish: {
    configuration: (place) =>
      `${gateways.varnish.configuration(place)} sub vcl_recv { return (hash); }`,
    hasAge: true,
  },
  nginx: {
    configuration: (place) => {
      const path = join(place.directory, 'cache');
      const cache = `proxy_cache_path ${path} keys_zone=one:1m; proxy_cache one; access_log off;`;
      const text = gateways.nginx.configuration(place).replace('access_log off;', cache);
      return text.replace(/proxy_pass_header Date;|proxy_buffering off;/g, '');
    },
    hasAge: false,
  },
};

for (const name of ['varnish', 'nginx'] as const) {
  const {configuration, hasAge} = caches[name];

  describeWith([name], `a list in a cache of ${name}`, () => {
    it('has the age of its heartbeats, so that a check of the age fails', async () => {
      const passed = 2 * 3_600_000;
      const then = new Date(Date.now() - passed);
      const lastHeartbeat = new Date(then.getTime() - 5000).toISOString();
      const {url, seen} = await thirdPartyService(
        json([{id: 'con_1', name: 'door', last_heartbeat_at: lastHeartbeat}], 200, {
          // Varnish adds to the age in a cache behind it, so no test has to wait for two hours.
          date: then.toUTCString(),
          ...(hasAge && {age: String(passed / 1000)}),
          'cache-control': 'public, max-age=100000',
        }),
      );
      const gateway = await startGateway(name, Number(new URL(url).port), configuration);
      try {
        const env = {CONNECTORCTL_BASE_URL: gateway.url, CONNECTORCTL_API_KEY: 'k3y'};
        const check = () => runCli(['connector', 'check', '--max-age', '10m'], {env});
        for (const {code, stdout} of [await check(), await check()]) {
          expect(code).to.equal(9);
          expect(stdout).to.match(/door.* 2h ago/);
        }
        expect(seen).to.have.length(1);
        const {headers} = await fetch(`${gateway.url}/api/connectors`);
        expect(headers.get('date') === then.toUTCString()).to.equal(hasAge);
        expect(Number(headers.get('age')) >= 7200).to.equal(hasAge);
      } finally {
        await gateway.close();
      }
    });
  });
}

import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import {clientWithoutDelays, failure} from '../../support/client.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {describeWith} from '../installed.js';
import {gateways, startGateway} from './gateways.js';

/** Gateways that remove the header of the key, the setting that keeps it, and that setting in the hint. */
const removals = {
  nginx: {
    authHeader: 'X_Api_Key',
    without: 'access_log off;',
    with: 'access_log off; underscores_in_headers on;',
    hint: 'nginx drops a header with an underscore in its name',
  },
  squid: {
    authHeader: 'Authorization',
    without: '',
    with: ' login=PASSTHRU',
    hint: 'Squid the header Authorization without login=PASSTHRU',
  },
} as const;

for (const name of ['nginx', 'squid'] as const) {
  const {authHeader, hint, ...settings} = removals[name];

  describeWith([name], `a key in the header ${authHeader} behind ${name}`, () => {
    /** Reads a connector of a service that needs a key. */
    async function read(setting: 'with' | 'without') {
      const header = authHeader.toLowerCase();
      const {url} = await thirdPartyService((request, response, index) => {
        const isThere = request.headers[header] !== undefined;
        json(isThere ? {id: 'a'} : {code: 'key_missing'}, isThere ? 200 : 401)(
          request,
          response,
          index,
        );
      });
      const gateway = await startGateway(name, Number(new URL(url).port), (place) => {
        const text = gateways[name].configuration(place);
        return text.replace(/access_log off;| login=PASSTHRU/, settings[setting]);
      });
      const {client} = clientWithoutDelays(gateway.url, {apiKey: 'k3y', authHeader});
      try {
        return await failure(() => client.getConnector('a')).catch(() => undefined);
      } finally {
        await gateway.close();
      }
    }

    it(`is missed by the service, and the hint says that ${hint}`, async () => {
      const error = await read('without');
      expect(error?.reason).to.equal('api-key-removed');
      expect(error && hintFor(error)).to.include(hint);
    });

    it(`arrives with "${settings.with.trim()}"`, async () => {
      expect(await read('with')).to.equal(undefined);
    });
  });
}

import {expect} from 'chai';
import {hintFor} from '../../../src/cli/errors/hints.js';
import type {Operation} from '../../../src/contract/endpoints.js';
import type {ErrorKind} from '../../../src/errors.js';
import {calls, clientWithoutDelays, everyOperation, failure} from '../../support/client.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

const allButTokens = everyOperation.filter((operation) => operation !== 'createToken');

/** Statuses, the code in the body, the operations that are repeated, and whether the request may have been carried out. */
const cases: readonly (readonly [readonly number[], string, readonly Operation[], boolean])[] = [
  [[400, 401, 403, 404, 405, 407, 409, 410, 413, 418, 422, 451, 499], '', [], false],
  [[425, 429], '', everyOperation, false],
  [[408], '', allButTokens, true],
  [[503], '', everyOperation, true],
  // Codes that a gateway writes: contrib/nginx, Kong, and a service whose commit is in doubt.
  [[503], 'unavailable', everyOperation, true],
  [[503], 'store_unavailable', everyOperation, true],
  [[503], 'overloaded', everyOperation, false],
  [[503], 'audit_unavailable', everyOperation, false],
  [[503], 'stopping', everyOperation, false],
  [[507], 'store_full', [], false],
  [[507], 'too_many_connectors', [], false],
  [[502, 504], '', allButTokens, true],
  // Cloudflare: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
  [[520, 521, 522, 523, 524, 530], '', allButTokens, true],
  [[500, 501, 505, 511, 525, 526, 599], '', [], true],
  [[500], 'internal', [], true],
];

/** The statuses of some kinds; the others of 4xx are `usage`, of 5xx `remote`. */
const kinds: Partial<Record<ErrorKind, readonly number[]>> = {
  auth: [401, 403],
  not_found: [404],
  conflict: [409, 410],
  unavailable: [408, 425, 429, 503],
};
const kindOf = (status: number) =>
  Object.entries(kinds).find(([, statuses]) => statuses.includes(status))?.[0] ??
  (status < 500 ? 'usage' : 'remote');

describe('the client, by the status and the code of an error,', () => {
  for (const [statuses, code, repeated, isUnknown] of cases) {
    const which = `${statuses.join(', ')} ${code === '' ? 'without a code' : `with ${code}`}`;
    const what = isUnknown ? 'may have been carried out' : 'was not carried out';
    it(`says that a request with ${which} ${what}, and repeats ${repeated.join(', ') || 'none'}`, async () => {
      for (const status of statuses) {
        for (const operation of everyOperation) {
          const service = await thirdPartyService(json(code === '' ? {} : {code}, status));
          const error = await failure(() =>
            calls[operation](clientWithoutDelays(service.url, {apiKey: 'k'}).client),
          );
          const at = `${operation} ${status}`;
          expect(error.kind, at).to.equal(kindOf(status));
          expect(service.seen.length, at).to.equal(repeated.includes(operation) ? 3 : 1);
          const creates = operation === 'createToken' || operation === 'activate';
          expect(error.outcomeUnknown, at).to.equal(creates && isUnknown);
          if (operation === 'activate') {
            expect((hintFor(error) ?? '').includes('may have been activated'), at).to.equal(
              isUnknown,
            );
          }
        }
      }
    });
  }

  it('says of a token that it got after a 503 that another one may exist, and of any other that it is alone', async () => {
    const token = json({token: 'act_1', expires_at: '2030-01-01T00:00:00Z'});
    const create = async (...before: readonly Respond[]) => {
      const {url} = await thirdPartyService(inTurn(...before, token));
      return clientWithoutDelays(url).client.createToken();
    };
    expect(await create(json({}, 503))).to.include({otherMayExist: true});
    expect(await create(json({code: 'overloaded'}, 503))).to.include({otherMayExist: false});
    expect(await create(json({}, 429))).to.include({otherMayExist: false});
    expect(await create()).to.include({otherMayExist: false});
  });
});

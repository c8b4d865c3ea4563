import {expect} from 'chai';
import {type Operation, operations} from '../../../src/contract/index.js';
import {Service} from '../../support/server/service.js';

/** The status that each operation gives a full key, a key that may only read, and the own key of the connector. */
const expected: Readonly<Record<Operation, readonly number[]>> = {
  createToken: [201, 403, 403],
  // The token authorizes it.
  activate: [201, 201, 201],
  list: [200, 200, 403],
  get: [200, 200, 200],
  heartbeat: [200, 403, 200],
};

it('API keys allow what their access says, operation by operation', async () => {
  const service = await new Service().start();
  const read = await service.addKey('default', {access: 'read'});
  const {id, key: own} = await service.connector();
  const found: Record<string, number[]> = {};
  for (const operation of operations) {
    found[operation] = [];
    for (const key of [service.key, read, own]) {
      const body = operation === 'activate' ? {token: await service.token(), name: 'web-1'} : {};
      const response = await service.call(operation, {id, key, body});
      found[operation].push(response.statusCode);
      if (key === read && response.statusCode === 403) {
        expect(response.json()).to.include({code: 'key_read_only'});
      }
    }
  }
  expect(found).to.deep.equal(expected);
});

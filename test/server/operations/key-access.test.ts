import {expect} from 'chai';
import {fillPath, type Operation, operations, routes} from '../../../src/contract/index.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {buildApp} from '../../../src/server/app.js';
import {systemRuntime} from '../../../src/server/runtime.js';
import {keepingLog} from '../../support/server/logs.js';
import {MemoryStore} from '../../support/store/memory-store.js';
import {start} from '../../support/store/samples.js';

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
  const store = new MemoryStore();
  const runtime = {...systemRuntime, now: () => start};
  const app = await buildApp({store, runtime, maxEventLoopDelay: Number.POSITIVE_INFINITY});
  const admin = storeAdmin(store, keepingLog().log, {runtime});
  const own = {organization: 'acme', description: null, expiresAt: null};
  const {secret: full} = await admin.create(own);
  const {secret: read} = await admin.create({...own, access: 'read'});
  const call = async (operation: Operation, key: string, id = '', token = '') =>
    app.inject({
      method: routes[operation].method,
      url: fillPath(routes[operation].path, {id}),
      headers: {authorization: `Bearer ${key}`},
      ...(operation === 'activate' && {payload: JSON.stringify({token, name: 'web-1'})}),
    });
  const newToken = async () => (await call('createToken', full)).json().token;
  const {id, api_key: connector} = (await call('activate', full, '', await newToken())).json();
  const found: Record<string, number[]> = {};
  for (const operation of operations) {
    found[operation] = [];
    for (const key of [full, read, connector]) {
      const response = await call(operation, key, id, await newToken());
      found[operation].push(response.statusCode);
      if (key === read && response.statusCode === 403) {
        expect(response.json()).to.include({code: 'key_read_only'});
      }
    }
  }
  expect(found).to.deep.equal(expected);
  await app.close();
});

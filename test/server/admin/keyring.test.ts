import {expect} from 'chai';
import {hashSecret, isWellFormedSecret} from '../../../src/domain/secret.js';
import type {StoreAdmin} from '../../../src/server/admin/admin.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {type Log, systemRuntime} from '../../../src/server/context.js';
import {failure} from '../../support/client.js';
import {keepingLog, type LoggedLine} from '../../support/server/logs.js';
import {MemoryStore} from '../../support/store/memory-store.js';

const now = Date.UTC(2026, 0, 1);
const plain = {organization: 'default', description: null, expiresAt: null};

describe('the keys of a store', () => {
  let store: MemoryStore;
  let keys: StoreAdmin;
  let log: Log;
  let lines: LoggedLine[];
  beforeEach(() => {
    store = new MemoryStore();
    ({log, lines} = keepingLog());
    keys = storeAdmin(store, log, {runtime: {...systemRuntime, now: () => now}});
  });

  it('are created with a secret that the store does not get', async () => {
    const key = {organization: 'a.b_c-9', description: ' CI ', expiresAt: now + 1};
    const {record, secret} = await keys.create(key);
    expect(isWellFormedSecret('organizationKey', secret)).to.equal(true);
    expect(record.id).to.match(/^key_[0-9A-Z]{26}$/);
    const {id, ...rest} = record;
    expect(rest).to.deep.equal({
      organization: 'a.b_c-9',
      access: 'full',
      description: 'CI',
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2026-01-01T00:00:00.001Z',
      revoked_at: null,
      revocation_reason: null,
      last_used_at: null,
    });
    const stored = store.state.apiKeys.get(id);
    expect(stored?.hash).to.equal(hashSecret(secret));
    expect(JSON.stringify(stored)).not.to.include(secret);
  });

  it('leave an audit record when they are created and revoked, without a secret', async () => {
    const {record, secret} = await keys.create(plain);
    await keys.revoke(record.id, 'left the company');
    const fields = {key_id: record.id, organization: 'default', access: 'full'};
    expect(lines.map((line) => line.fields)).to.deep.equal([
      {audit: 'key_created', ...fields},
      {audit: 'key_revoked', ...fields, reason: 'left the company'},
    ]);
    expect(JSON.stringify(lines)).not.to.include(secret);
    const later = storeAdmin(store, log, {runtime: {...systemRuntime, now: () => now + 1000}});
    await later.revoke(record.id, 'again');
    expect(lines).to.have.length(2);
  });

  const refused = [
    {...plain, organization: ''},
    {...plain, organization: 'A'},
    {...plain, organization: 'a b'},
    {...plain, organization: 'a/b'},
    {...plain, organization: 'x'.repeat(65)},
    {...plain, description: ''},
    {...plain, description: 'a\u001bb'},
    {...plain, expiresAt: now},
    {...plain, expiresAt: Number.NaN},
    {...plain, expiresAt: Date.UTC(10_000, 0, 1)},
    {...plain, expiresAt: Number.MAX_VALUE},
  ];
  for (const key of refused) {
    it(`are refused for ${JSON.stringify(key).slice(0, 60)}`, async () => {
      expect(await failure(() => keys.create(key))).to.include({kind: 'usage'});
      expect(store.state.apiKeys.size).to.equal(0);
    });
  }

  it('expire at a whole millisecond', async () => {
    const {record} = await keys.create({...plain, expiresAt: now + 1.5});
    expect(record.expires_at).to.equal('2026-01-01T00:00:00.002Z');
  });
});

import {expect} from 'chai';
import {removeTargets} from '../../src/admin/removal.js';
import {removalBatch} from '../../src/domain/removal.js';
import type {StoreAdmin} from '../../src/server/admin/admin.js';
import {fakeIo} from '../support/process/io.js';

describe('the removal of several batches', () => {
  it('finishes its batch after a signal, and removes no other', async () => {
    const found = Array.from({length: removalBatch + 1}, (_, index) => ({
      id: `con_${index}`,
      organization: 'acme',
      name: 'web',
      activated_at: '',
      last_heartbeat_at: null,
      revoked_at: null,
    }));
    const stop = new AbortController();
    const reason = new Error('Interrupted');
    const calls: number[] = [];
    const remove: StoreAdmin['remove'] = async (ids) => {
      calls.push(ids.length);
      stop.abort(reason);
      return found.filter(({id}) => ids.includes(id));
    };
    const ended = removeTargets(
      {remove} as Partial<StoreAdmin> as StoreAdmin,
      {},
      found,
      fakeIo(),
      stop.signal,
    );
    expect(await ended.catch((error: unknown) => error)).to.equal(reason);
    expect(calls).to.deep.equal([removalBatch]);
  });
});

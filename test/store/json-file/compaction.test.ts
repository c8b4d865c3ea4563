import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {StoreError} from '../../../src/store/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {createGate} from '../../support/server/gate.js';
import {
  activate,
  listAll,
  minute,
  rejection,
  sampleReissue,
  start,
} from '../../support/store/samples.js';

const scope = {organization: 'acme'};

describe('the compaction of a JSON file store', () => {
  const directory = useStoreDirectory();
  let store: JsonFileStore;

  /** Waits until the store has logged a message this many times. */
  const logged = async (message: string, times: number): Promise<void> => {
    while (directory.log.filter((entry) => entry.message === message).length < times) {
      await store.check();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const size = async (): Promise<number> => {
    const contents = await directory.contents();
    return Object.values(contents).reduce((sum, text) => sum + text.length, 0);
  };

  /** Sends heartbeats for all these connectors concurrently. */
  const sendHeartbeats = async (
    ids: readonly string[],
    from: number,
    times: number,
  ): Promise<void> => {
    await Promise.all(
      ids.map(async (id) => {
        for (let count = 0; count < times; count += 1) {
          await store.recordHeartbeat(id, start + from + count, scope);
        }
      }),
    );
  };

  it('writes senders only of connectors that have some', async () => {
    store = await directory.open();
    const [{id}] = await Promise.all([activate(store), activate(store)]);
    await store.recordHeartbeat(id, start, scope, {id: 'process-1', interval: minute});
    await store.compact();
    const text = Object.values(await directory.contents()).join('');
    expect(text.match(/"senders":/g)).to.have.length(1);
  });

  it('starts automatically when the journal has grown, and keeps the store small', async () => {
    store = await directory.open();
    const connectors = await Promise.all(Array.from({length: 1000}, () => activate(store)));
    const ids = connectors.map(({id}) => id);
    await store.compact();
    const compact = await size();
    for (let round = 0; round < 4; round += 1) {
      const done = directory.log.length;
      await sendHeartbeats(ids, minute + round * 10, 10);
      // 10,000 heartbeats are more than the journal may hold.
      await logged('store compacted', done + 1);
      expect(await size()).to.be.below(3 * compact);
    }
    const before = await listAll(store, 'acme');
    store = await directory.reopen(store);
    expect(await listAll(store, 'acme')).to.deep.equal(before);
    expect(before.map(({lastHeartbeatAt}) => lastHeartbeatAt)).to.deep.equal(
      ids.map(() => start + minute + 39),
    );
  });

  it('runs concurrently with the traffic and loses no change made meanwhile', async () => {
    store = await directory.open();
    const opened = store;
    const connectors = await Promise.all(Array.from({length: 300}, () => activate(opened)));
    const ids = connectors.map(({id}) => id);
    let compacting = true;
    const traffic = (async () => {
      for (let round = 0; compacting; round += 1) {
        await sendHeartbeats(ids, minute + round, 1);
        await activate(opened);
      }
    })();
    for (let count = 0; count < 5; count += 1) await store.compact();
    compacting = false;
    await traffic;
    const before = await listAll(store, 'acme');
    expect(before.length).to.be.above(300);
    store = await directory.reopen(store);
    expect(await listAll(store, 'acme')).to.deep.equal(before);
    expect(Object.keys(await directory.contents())).to.deep.equal(['store.jsonl']);
  });

  let tries = 0;
  /** Opens a store in which every compaction fails, and counts them. */
  const openFailing = async (): Promise<void> => {
    tries = 0;
    const files = watchedFiles(({name, file}) => {
      if (name !== 'open' || file !== 'store.jsonl.tmp') return;
      tries += 1;
      throw systemError('EACCES');
    });
    await (await directory.open()).close();
    store = await directory.open({files});
  };

  it('that failed is tried again only after as much has been written again', async () => {
    await openFailing();
    const connectors = await Promise.all(Array.from({length: 200}, () => activate(store)));
    const ids = connectors.map(({id}) => id);
    const written = async () => Object.values(await directory.contents()).join('').length;
    let time = minute;
    for (const expected of [1, 2]) {
      for (; tries < expected; time += 1) await sendHeartbeats(ids, time, 1);
      await logged('compaction failed', expected);
      const before = await written();
      // Half of the bytes after which a compaction is due, in a batch per millisecond.
      for (; (await written()) < before + 128 * 1024; time += 1) await sendHeartbeats(ids, time, 1);
      expect(tries).to.equal(expected);
    }
  });

  it('closes every file that it opened, and the store those that remain', async () => {
    const open = new Map<string, number>();
    const count = (file: string, change: number) => open.set(file, (open.get(file) ?? 0) + change);
    const files = watchedFiles(({name, file}) => {
      if (name === 'open') count(file, 1);
      if (name === 'handle.close') count(file, -1);
    });
    store = await directory.open({files});
    await activate(store);
    await store.compact();
    expect(open.get('store.jsonl')).to.equal(0);
    expect(open.get('store.jsonl.tmp')).to.equal(1);
    await store.close();
    expect([...open].filter(([, handles]) => handles > 0)).to.deep.equal([]);
  });

  it('follows a removal at once, and leaves nothing of the connector on disk but its id in its tokens', async () => {
    store = await directory.open();
    const kept = await activate(store);
    const {id, keyHash} = await activate(store, {name: 'retired'});
    await store.reissueToken(sampleReissue(id));
    await store.removeConnectors([id], null);
    await logged('store compacted', 1);
    const texts = Object.values(await directory.contents()).join('');
    for (const trace of [keyHash, 'retired']) expect(texts).not.to.include(trace);
    store = await directory.reopen(store);
    expect(await listAll(store, 'acme')).to.deep.equal([kept]);
  });

  it('follows the first write after a start, if a removal is still in the journal', async () => {
    store = await directory.open();
    const {id, keyHash} = await activate(store);
    await store.removeConnectors([id], null);
    store = await directory.reopen(store);
    const texts = async () => Object.values(await directory.contents()).join('');
    expect(await texts()).to.include(keyHash);
    await activate(store);
    await logged('store compacted', 1);
    expect(await texts()).not.to.include(keyHash);
  });

  it('that failed after a removal is tried again after the next one', async () => {
    await openFailing();
    for (const expected of [1, 2]) {
      const {id} = await activate(store);
      await store.removeConnectors([id], null);
      await logged('compaction failed', expected);
      await activate(store);
      expect(tries).to.equal(expected);
    }
  });

  it('is abandoned when the store is closed', async () => {
    const gate = createGate();
    const files = watchedFiles(async ({name, file}) => {
      if (name !== 'handle.write' || file !== 'store.jsonl.tmp') return;
      await gate.wait();
    });
    store = await directory.open();
    await Promise.all(Array.from({length: 200}, () => activate(store)));
    store = await directory.reopen(store, {files});
    const compaction = rejection(store.compact());
    await gate.arrived;
    const closed = store.close();
    gate.release();
    await closed;
    expect(await compaction).to.be.instanceOf(StoreError);
    expect(Object.keys(await directory.contents())).to.deep.equal(['store.jsonl']);
    store = await directory.open();
    expect(await listAll(store, 'acme')).to.have.length(200);
  });
});

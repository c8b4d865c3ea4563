import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {
  activate,
  activated,
  expectKind,
  listAll,
  minute,
  rejection,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';

const scope = {organization: 'acme'};

describe('a JSON file store on a full disk', () => {
  const directory = useStoreDirectory();
  let isFull: boolean;
  let canTruncate: boolean;
  let store: JsonFileStore;

  /** File calls of a disk: when it is full, a write stops after half of its bytes. */
  const files = watchedFiles(async ({name, args, handle}) => {
    if (!isFull) return;
    if (name === 'handle.truncate' && !canTruncate) throw systemError('EIO');
    if (name === 'handle.write') {
      const [bytes, offset, length, position] = args as [Buffer, number, number, number];
      await handle?.write(bytes, offset, Math.floor(length / 2), position);
      throw systemError('ENOSPC');
    }
    const creates = name === 'open' && args[1] !== 'r';
    if (creates || name === 'handle.writeFile') throw systemError('ENOSPC');
  });

  beforeEach(async () => {
    isFull = false;
    canTruncate = true;
    store = await directory.open({files});
  });

  /** Sends heartbeats until one is refused. @returns the time of the last recorded one */
  const sendUntilFull = async (id: string): Promise<number> => {
    for (let at = start + minute; ; at += 1) {
      const heartbeat = store.recordHeartbeat(id, at, scope);
      const error = await heartbeat.then(
        () => undefined,
        (failure: unknown) => failure,
      );
      if (error === undefined) continue;
      expectKind(error, 'full');
      return at - 1;
    }
  };

  it('refuses writes, serves reads, and accepts writes again when there is room', async () => {
    const connector = await activate(store);
    const token = sampleToken();
    await store.createToken(token);
    isFull = true;
    const lastHeartbeatAt = await sendUntilFull(connector.id);
    const recorded = lastHeartbeatAt < start + minute ? null : lastHeartbeatAt;
    const attempt = sampleAttempt(token, {connector: {name: 'x'.repeat(5000)}});
    expectKind(await rejection(store.redeemToken(attempt)), 'full');
    expectKind(
      await rejection(store.createToken(sampleToken({description: 'x'.repeat(5000)}))),
      'full',
    );
    const there = [{...connector, lastHeartbeatAt: recorded}];
    expect(await listAll(store, 'acme')).to.deep.equal(there);

    isFull = false;
    await store.check();
    expect((await store.redeemToken(attempt)).outcome).to.equal('redeemed');
    store = await directory.reopen(store, {files});
    expect(directory.log.filter(({message}) => message.includes('cut'))).to.deep.equal([]);
    expect(await listAll(store, 'acme')).to.deep.equal([...there, activated(attempt)]);
  });

  it('refuses all redemptions of a failed write, and lets one of them succeed when there is room again', async () => {
    const token = sampleToken();
    await store.createToken(token);
    const redeem = () =>
      Promise.allSettled(Array.from({length: 5}, () => store.redeemToken(sampleAttempt(token))));
    isFull = true;
    for (const result of await redeem()) {
      if (result.status === 'fulfilled') expect.fail(result.value.outcome);
      expectKind(result.reason, 'full');
    }
    isFull = false;
    const outcomes = (await redeem()).map(
      (result) => result.status === 'fulfilled' && result.value.outcome,
    );
    expect(outcomes).to.deep.equal(['redeemed', 'used', 'used', 'used', 'used']);
    expect(await listAll(store, 'acme')).to.have.length(1);
  });

  it('refuses all writes after a failed write that it cannot undo', async () => {
    const {id} = await activate(store);
    canTruncate = false;
    isFull = true;
    expectKind(await rejection(store.recordHeartbeat(id, start + 1, scope)), 'unavailable');
    isFull = false;
    expectKind(await rejection(store.recordHeartbeat(id, start + 1, scope)), 'unavailable');
  });

  it('keeps its files when a compaction finds no room, and compacts them later', async () => {
    await activate(store);
    const before = await directory.contents();
    isFull = true;
    expectKind(await rejection(store.compact()), 'full');
    isFull = false;
    expect(await directory.contents()).to.deep.equal(before);
    await store.compact();
    await activate(store);
    store = await directory.reopen(store, {files});
    expect(await listAll(store, 'acme')).to.have.length(2);
  });
});

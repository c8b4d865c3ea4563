import {readdir} from 'node:fs/promises';
import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {watchedFiles} from '../../support/json-file/watched-files.js';
import {createGate} from '../../support/server/gate.js';
import {
  day,
  listAll,
  minute,
  sampleApiKey,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';

describe('the tokens of a JSON file store', () => {
  const directory = useStoreDirectory();
  let store: JsonFileStore;

  const redeem = async (token: {hash: string}, at = directory.now) =>
    (await store.redeemToken(sampleAttempt(token, {at, idempotencyHash: hashSecret('key')})))
      .outcome;

  const compactAt = async (now: number): Promise<void> => {
    directory.now = now;
    await store.compact();
  };

  const snapshot = async (): Promise<string> => {
    const contents = Object.entries(await directory.contents());
    return contents.find(([name]) => name.startsWith('snapshot'))?.[1] ?? '';
  };

  beforeEach(async () => {
    store = await directory.open();
  });

  it('shrink to their outcome at the first compaction after expiry when they were used, which a clock set back does not undo', async () => {
    const used = sampleToken({description: 'rack 4'});
    await store.createToken(used);
    expect(await redeem(used)).to.equal('redeemed');
    await store.compact();
    expect(await snapshot()).to.include('rack 4');
    await compactAt(start + 16 * minute);
    expect(await snapshot()).not.to.match(/rack/);
    for (let round = 0; round < 2; round += 1) {
      for (const at of [start, start + day]) expect(await redeem(used, at)).to.equal('used');
      store = await directory.reopen(store);
    }
    expect(await listAll(store, 'acme')).to.have.length(1);
  });

  it('are removed within a day, 30 days after expiry, when they were used, while connectors stay', async () => {
    const used = sampleToken();
    await store.createToken(used);
    expect(await redeem(used)).to.equal('redeemed');
    const connectors = await listAll(store, 'acme');
    await compactAt(used.expiresAt + 30 * day);
    expect(await redeem(used)).to.equal('used');
    await compactAt(used.expiresAt + 31 * day);
    expect(await redeem(used)).to.equal('unknown');
    expect(await snapshot()).not.to.include(used.hash);
    store = await directory.reopen(store);
    expect(await redeem(used)).to.equal('unknown');
    expect(await listAll(store, 'acme')).to.deep.equal(connectors);
  });

  it('leave memory with the next change, an hour after expiry, when they were not used', async () => {
    const tokens = [sampleToken(), sampleToken({expiresAt: start + 30 * minute})];
    for (const token of tokens) await store.createToken(token);
    const held = () =>
      tokens.map(({hash}) => store.components.state.tokens.get(hash) !== undefined);
    directory.now = start + 76 * minute;
    await store.createApiKey(sampleApiKey());
    expect(held()).to.deep.equal([false, true]);
    expect(await redeem(tokens[0]!)).to.equal('unknown');
    expect(await redeem(tokens[1]!)).to.equal('expired');
  });

  it('leave the disk by a compaction of their own when many were not used', async () => {
    const tokens = Array.from({length: 3000}, () => sampleToken());
    await Promise.all(tokens.map((token) => store.createToken(token)));
    await store.compact();
    expect(await snapshot()).to.include(tokens[0]?.hash);
    const files = () => readdir(directory.path);
    const before = (await files()).find((name) => name.startsWith('snapshot')) ?? '';
    directory.now = start + 76 * minute;
    await store.createApiKey(sampleApiKey());
    // Removed last.
    while ((await files()).includes(before)) await new Promise(setImmediate);
    expect(await snapshot()).to.not.include(tokens[0]?.hash);
  });

  it('count as used when the clock jumps and they leave during the write of their redemption', async () => {
    const token = sampleToken();
    let redeeming: Promise<unknown> | undefined;
    const journal = createGate();
    const files = watchedFiles(async ({name, file}) => {
      if (name === 'open' && file.startsWith('snapshot')) redeeming = redeem(token, start);
      if (name === 'rename' && file.startsWith('snapshot')) journal.release();
      if (name === 'handle.datasync' && redeeming !== undefined) await journal.wait();
    });
    store = await directory.reopen(store, {files});
    await store.createToken(token);
    await compactAt(token.expiresAt + 60 * minute);
    expect(await snapshot()).to.not.include(token.hash);
    expect(await redeeming).to.equal('redeemed');
    expect(await redeem(token, start)).to.equal('used');
    store = await directory.reopen(store);
    expect(await redeem(token, start)).to.equal('used');
  });
});

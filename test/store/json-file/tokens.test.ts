import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {durableCall, watchedFiles} from '../../support/json-file/watched-files.js';
import {createGate} from '../../support/server/gate.js';
import {
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

  const snapshot = async (): Promise<string> => (await directory.contents())['store.jsonl'] ?? '';

  beforeEach(async () => {
    store = await directory.open();
  });

  it('are removed an hour after expiry, when they were used, while connectors stay', async () => {
    const used = sampleToken();
    await store.createToken(used);
    expect(await redeem(used)).to.equal('redeemed');
    const connectors = await listAll(store, 'acme');
    await compactAt(used.expiresAt + 59 * minute);
    expect(await redeem(used)).to.equal('repeated');
    await compactAt(used.expiresAt + 60 * minute);
    expect(await redeem(used)).to.equal('unknown');
    expect(await snapshot()).not.to.include(used.hash);
    store = await directory.reopen(store);
    // A clock that is set back does not make it valid again.
    expect(await redeem(used, start)).to.equal('unknown');
    expect(await listAll(store, 'acme')).to.deep.equal(connectors);
  });

  it('leave memory with the next change, an hour after expiry, when they were not used', async () => {
    const tokens = [sampleToken(), sampleToken({expiresAt: start + 30 * minute})];
    for (const token of tokens) await store.createToken(token);
    const held = () => tokens.map(({hash}) => store.opened().state.tokens.get(hash) !== undefined);
    directory.now = start + 76 * minute;
    await store.createApiKey(sampleApiKey());
    expect(held()).to.deep.equal([false, true]);
    expect(await redeem(tokens[0]!)).to.equal('unknown');
    expect(await redeem(tokens[1]!)).to.equal('expired');
  });

  it('are there with their redemption when the clock jumps and they leave during its write', async () => {
    const token = sampleToken();
    let isReady = false;
    let redeeming: Promise<unknown> | undefined;
    const journal = createGate();
    const files = watchedFiles(async ({name, file}) => {
      if (name === 'rm' && file === 'store.jsonl.tmp' && isReady) {
        isReady = false;
        const later = directory.now;
        directory.now = start;
        redeeming = redeem(token);
        // It is decided before the compaction removes the token.
        for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
        directory.now = later;
      }
      if (name === 'handle.datasync' && file === 'store.jsonl.tmp') journal.release();
      if (name === durableCall && file === 'store.jsonl' && redeeming) await journal.wait();
    });
    await store.createToken(token);
    store = await directory.reopen(store, {files});
    isReady = true;
    await compactAt(token.expiresAt + 60 * minute);
    directory.now = start;
    const [compact] = (await snapshot()).split('"compact":true');
    expect(compact).to.not.include(token.hash);
    expect(await redeeming).to.equal('redeemed');
    expect(await redeem(token)).to.be.oneOf(['used', 'repeated']);
    store = await directory.reopen(store);
    expect(await redeem(token)).to.be.oneOf(['used', 'repeated']);
  });
});

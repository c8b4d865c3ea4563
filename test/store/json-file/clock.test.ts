import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import type {JsonFileStore} from '../../../src/store/json-file/json-file-store.js';
import {
  activate,
  day,
  expectKind,
  minute,
  rejection,
  sampleAttempt,
  sampleToken,
  start,
} from '../samples.js';
import {type LogEntry, StoreFolder} from './fixture.js';
import {systemError, watchedFiles} from './watched-files.js';

const scope = {organization: 'acme'};

describe('a JSON file store whose clock is set back', () => {
  let folder: StoreFolder;
  let store: JsonFileStore;

  const redeem = async (token: {hash: string}, at: number) =>
    (await store.redeemToken(sampleAttempt(token, {at, idempotencyHash: hashSecret('key')})))
      .outcome;

  const reopen = async (now: number): Promise<void> => {
    await store.close();
    folder.now = now;
    store = await folder.open();
  };

  beforeEach(async () => {
    folder = await StoreFolder.make();
    store = await folder.open();
  });

  afterEach(async () => {
    await store.close().catch(() => {});
    await folder.cleanup();
  });

  it('keeps a token expired that was called so, also after a restart', async () => {
    const token = sampleToken();
    await store.createToken(token);
    expect(await redeem(token, token.expiresAt)).to.equal('expired');
    expect(await redeem(token, start)).to.equal('expired');
    await reopen(start);
    expect(await redeem(token, start)).to.equal('expired');
    await store.compact();
    await reopen(start);
    expect(await redeem(token, start)).to.equal('expired');
  });

  it('does not call a token expired before that is on disk', async () => {
    let full = false;
    const files = watchedFiles(({name}) => {
      if (full && name === 'handle.write') throw systemError('ENOSPC');
    });
    await store.close();
    store = await folder.open({files});
    const token = sampleToken();
    await store.createToken(token);
    full = true;
    expectKind(await rejection(redeem(token, token.expiresAt)), 'full');
    full = false;
    expect(await redeem(token, token.expiresAt)).to.equal('expired');
    full = true;
    expect(await redeem(token, token.expiresAt)).to.equal('expired');
  });

  it('keeps a token expired that nobody asked for, when other work went on at that time', async () => {
    const token = sampleToken();
    const {id} = await activate(store);
    await store.createToken(token);
    await store.recordHeartbeat(id, token.expiresAt, scope);
    await reopen(start);
    expect(await redeem(token, start + minute)).to.equal('expired');
  });

  it('keeps a token expired that was so when the store was opened', async () => {
    const token = sampleToken();
    await store.createToken(token);
    await reopen(token.expiresAt);
    await reopen(start);
    expect(await redeem(token, start + minute)).to.equal('expired');
  });

  it('keeps the answer to a repetition from coming back after the expiry', async () => {
    const token = sampleToken();
    await store.createToken(token);
    expect(await redeem(token, start)).to.equal('redeemed');
    expect(await redeem(token, start)).to.equal('repeated');
    expect(await redeem(token, token.expiresAt)).to.equal('used');
    await reopen(start);
    expect(await redeem(token, start)).to.equal('used');
  });

  it('does not hold it against tokens that are made after the clock was put right', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + 365 * day, scope);
    const early = sampleToken();
    const late = sampleToken();
    await store.createToken(early);
    expect(await redeem(early, start + minute)).to.equal('redeemed');
    await store.createToken(late);
    await reopen(start + 2 * minute);
    expect(await redeem(late, start + 3 * minute)).to.equal('redeemed');
    expect(await redeem(late, start + 3 * minute)).to.equal('repeated');
  });

  it('does not hold it against them either when all tokens before are closed', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + 365 * day, scope);
    await store.compact();
    await reopen(start + minute);
    const late = sampleToken();
    await store.createToken(late);
    expect(await redeem(late, start + 2 * minute)).to.equal('redeemed');
  });

  it('keeps a heartbeat where it was', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + 9 * minute, scope);
    await reopen(start);
    const answer = await store.recordHeartbeat(id, start + minute, scope);
    expect(answer?.lastHeartbeatAt).to.equal(start + 9 * minute);
  });

  it('warns at start of heartbeats from the future, and how far ahead they are', async () => {
    const {id} = await activate(store);
    await store.recordHeartbeat(id, start + 3 * 60 * minute, scope);
    await reopen(start + 3 * 60 * minute - minute);
    expect(folder.log).to.deep.equal([]);
    await reopen(start);
    const [{level, details, message}, ...others] = folder.log as [LogEntry, ...LogEntry[]];
    expect(others).to.deep.equal([]);
    expect(level).to.equal('warn');
    expect(details).to.deep.equal({
      seconds: 3 * 60 * 60,
      latest: new Date(start + 3 * 60 * minute).toISOString(),
    });
    expect(message).to.include('ahead of the clock');
  });

  it('writes the clock down about once a second, not with every heartbeat', async () => {
    const {id} = await activate(store);
    for (let beat = 0; beat <= 300; beat += 1) {
      await store.recordHeartbeat(id, start + 2 * minute + beat * 10, scope);
    }
    const journal = (await folder.contents())['journal-000001.jsonl'] ?? '';
    expect(journal.match(/"type":"heartbeats"/g)).to.have.length(301);
    expect(journal.match(/"type":"clock"/g)?.length).to.be.within(3, 8);
  });
});

import {mkdtemp, readdir} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import pg from 'pg';
import {hashSecret} from '../../src/domain/secret.js';
import {copyStore} from '../../src/store/copy.js';
import {openStore} from '../../src/store/open.js';
import {openSource} from '../../src/store/postgres/transfer.js';
import {type Store, StoreError, type StoreErrorKind} from '../../src/store/store.js';
import {makeTestDatabase} from '../support/postgres/database.js';
import {runChild} from '../support/process/child.js';
import {RecordedLog} from '../support/store/recorded-log.js';
import {
  activate,
  day,
  listAll,
  minute,
  rejection,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from '../support/store/samples.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const idempotencyHash = hashSecret('again');

const kinds = ['a directory', 'a database'] as const;

describe('copying a store', () => {
  const at = temporaryDirectory();
  const now = start + 2 * minute;

  /** A location without a store. */
  const place = async (kind: (typeof kinds)[number]): Promise<string> =>
    kind === 'a database'
      ? (await makeTestDatabase()).url
      : path.join(await mkdtemp(at('copy-')), 'store');

  const options = () => ({log: new RecordedLog(), now: () => now});
  const open = (location: string) => openStore(location, options());
  const copy = (from: string, to: string, onProgress?: () => void) =>
    copyStore(from, to, {...options(), onProgress});

  const using = async <T>(location: string, use: (store: Store) => Promise<T>): Promise<T> => {
    const store = await open(location);
    return use(store).finally(() => store.close());
  };

  const refusal = async (promise: Promise<unknown>): Promise<[StoreErrorKind, string]> => {
    const error = await rejection(promise);
    if (error instanceof StoreError) return [error.kind, error.message];
    throw error;
  };

  /** Fills a store with records of every kind. @returns its tokens */
  async function fill(store: Store) {
    const keys = [
      sampleApiKey({description: 'CI', expiresAt: start + day}),
      sampleApiKey({organization: 'umbrella', revokedAt: start + 1}),
    ];
    for (const key of keys) await store.createApiKey(key);
    await store.recordKeyUse(keys[0]!.id, start + 3);
    const tokens = {
      open: sampleToken({description: 'rack 4'}),
      used: sampleToken(),
      expired: sampleToken({expiresAt: start + minute}),
      usedAndExpired: sampleToken({expiresAt: start + minute + 1}),
      ofRemoved: sampleToken(),
    };
    for (const token of Object.values(tokens)) await store.createToken(token);
    for (const token of [tokens.used, tokens.usedAndExpired, tokens.ofRemoved]) {
      await store.redeemToken(sampleAttempt(token, {idempotencyHash}));
    }
    const removed = (await listAll(store, 'acme')).at(-1);
    await store.removeConnectors([removed?.id ?? ''], null);
    const alive = await activate(store, {name: '👩‍👩‍👧 "\\'});
    await store.recordHeartbeat(alive.id, start + minute, {organization: 'acme'});
    const renewing = sampleReissue(alive.id);
    await store.reissueToken(renewing);
    await store.redeemToken(sampleAttempt(renewing));
    const waiting = sampleReissue(alive.id);
    await store.reissueToken(waiting);
    await activate(store, {organization: 'umbrella'});
    const lost = await activate(store);
    const ofRevoked = sampleReissue(lost.id);
    await store.reissueToken(ofRevoked);
    await store.revokeConnector(lost.id, start + 5, 'laptop lost');
    return {...tokens, waiting, ofRevoked};
  }

  const interruption = new Error('interrupted');
  const interrupt = () => {
    throw interruption;
  };

  const contentsOf = async (store: Store) => ({
    secret: Buffer.from(store.serverSecret).toString('hex'),
    keys: await store.listApiKeys(),
    acme: await listAll(store, 'acme'),
    umbrella: await listAll(store, 'umbrella'),
  });

  for (const from of kinds) {
    for (const to of kinds) {
      it(`from ${from} to ${to} keeps all records and their meaning`, async () => {
        const [source, target] = [await place(from), await place(to)];
        const tokens = await using(source, fill);
        const before = await using(source, contentsOf);
        expect(before.acme.filter(({endedKeyHash}) => endedKeyHash !== null)).to.have.length(1);
        expect(await copy(source, target)).to.deep.equal({apiKeys: 2, connectors: 5, tokens: 11});
        await using(target, async (store) => {
          expect(await contentsOf(store)).to.deep.equal(before);
          const outcome = async (token: {readonly hash: string}, key = idempotencyHash) =>
            (await store.redeemToken(sampleAttempt(token, {at: now, idempotencyHash: key})))
              .outcome;
          expect(await outcome(tokens.used, hashSecret('another'))).to.equal('used');
          for (const [name, expected] of Object.entries({
            used: 'repeated',
            open: 'redeemed',
            waiting: 'reissued',
            expired: 'expired',
            usedAndExpired: 'repeated',
            ofRemoved: 'used',
            ofRevoked: 'used',
          })) {
            expect(await outcome(tokens[name as keyof typeof tokens]), name).to.equal(expected);
          }
        });
        expect(await using(source, contentsOf)).to.deep.equal(before);
      });
    }
  }

  for (const kind of kinds) {
    describe(`to ${kind}`, () => {
      it('leaves no store when it is interrupted, and is run again', async () => {
        const [source, target] = [await place('a directory'), await place(kind)];
        await using(source, fill);
        expect(await rejection(copy(source, target, interrupt))).to.equal(interruption);
        const opened = openStore(target, {...options(), create: false});
        expect((await refusal(opened))[0]).to.equal('missing');
        expect((await copy(source, target)).connectors).to.equal(5);
        expect(await using(target, contentsOf)).to.deep.equal(await using(source, contentsOf));
      });

      it('succeeds for one of two simultaneous copies', async () => {
        const [one, two, target] = [
          await place('a directory'),
          await place('a directory'),
          await place(kind),
        ];
        await using(one, fill);
        await using(two, fill);
        const copies = await Promise.allSettled([copy(one, target), copy(two, target)]);
        const failed = copies.flatMap((result) =>
          result.status === 'rejected' ? [(result.reason as StoreError).kind] : [],
        );
        expect(failed).to.have.length(1);
        // A directory is locked until the other copy is complete.
        expect(failed[0]).to.be.oneOf(['format', 'locked']);
        const winner = copies[0].status === 'fulfilled' ? one : two;
        expect(await using(target, contentsOf)).to.deep.equal(await using(winner, contentsOf));
      });

      it('refuses a location that is not empty', async () => {
        const [source, target] = [await place('a directory'), await place(kind)];
        await using(source, fill);
        await using(target, async () => {});
        const [error, message] = await refusal(copy(source, target));
        expect(error).to.equal('format');
        expect(message).to.include('holds a store already');
      });
    });

    it(`refuses ${kind} that holds no store, and leaves nothing behind`, async () => {
      const [source, target] = [await place(kind), await place('a directory')];
      expect((await refusal(copy(source, target)))[0]).to.equal('missing');
      expect(await readdir(path.dirname(target))).to.deep.equal([]);
    });
  }

  it('refuses a directory that is in use', async () => {
    const [source, target] = [await place('a directory'), await place('a directory')];
    await using(source, async () => {
      expect((await refusal(copy(source, target)))[0]).to.equal('locked');
    });
  });

  it('refuses a database that is changed meanwhile, under any application name, and leaves no store', async () => {
    const [source, target] = [await place('a database'), await place('a directory')];
    await using(source, fill);
    await using(`${source}&application_name=fleet`, async (store) => {
      let isCopying = false;
      const waits = async () => {
        const client = new pg.Client({connectionString: source});
        await client.connect();
        for (;;) {
          const {rows} = await client.query(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'activation_tokens'::regclass",
          );
          if (rows.length > 0) return client.end();
          await delay(20);
        }
      };
      let change: Promise<unknown> | undefined;
      const {serverSecret, read, close} = await openSource(source, options());
      expect(serverSecret).to.have.length.above(0);
      const copied: string[] = [];
      const reading = read(async (changes) => {
        copied.push(...Object.keys(changes));
        if (isCopying) return;
        isCopying = true;
        change = store.createToken(sampleToken());
        await waits();
      });
      const [kind, message] = await refusal(reading);
      expect([kind, message.includes('is in use: 1 changes wait')]).to.deep.equal(['locked', true]);
      expect(copied).to.deep.equal(['apiKeys', 'connectors', 'tokens']);
      // The change was only deferred.
      await change;
      await close();
    });
    expect((await copy(source, target)).tokens).to.equal(12);
  });

  it('has each change that was acknowledged before it, while changes go on', async () => {
    const source = await place('a database');
    await using(source, fill);
    await using(`${source}&application_name=fleet`, async (store) => {
      let isDone = false;
      const acknowledged: string[] = [];
      const work = async () => {
        while (!isDone) acknowledged.push((await activate(store)).id);
      };
      const working = Promise.all(Array.from({length: 4}, work));
      while (acknowledged.length < 20) await delay(5);
      const {read, close} = await openSource(source, options());
      let before: string[] = [];
      const [ids, redeemed] = [new Set<string>(), new Set<string>()];
      const outcome = await read(async ({connectors = [], tokens = []}) => {
        if (before.length === 0) before = [...acknowledged];
        for (const {id} of connectors) ids.add(id);
        for (const {redemption} of tokens) if (redemption) redeemed.add(redemption.attemptId);
      }).then(
        () => 'copied',
        (error: StoreError) => error.kind,
      );
      isDone = true;
      await working;
      await close();
      expect(outcome).to.be.oneOf(['copied', 'locked']);
      expect(before.filter((id) => !ids.has(id))).to.deep.equal([]);
      // No token of a connector in the copy is unused there.
      expect([...ids].filter((id) => acknowledged.includes(id) && !redeemed.has(id))).to.deep.equal(
        [],
      );
    });
  });

  it('with store copy prints no password', async () => {
    const [source, target] = [await place('a directory'), new URL(await place('a database'))];
    target.password = 'sesame';
    await using(source, fill);
    const command = () => runChild(['store', 'copy', source, target.href, '--json']);
    const {code, stdout, stderr} = await command();
    expect(code, stderr).to.equal(0);
    expect(stderr).not.to.include('sesame').and.not.to.include('Error');
    const result = JSON.parse(stdout);
    expect(result.from).to.equal(source);
    expect(result.to).to.equal(`PostgreSQL ${target.host}${target.pathname}`);
    expect(result).to.include({api_keys: 2, tokens: 11, connectors: 5});
    const again = await command();
    expect(again.code).to.equal(2);
    expect(JSON.parse(again.stdout).error.message).to.include('holds a store already');
    expect(stdout + again.stdout + again.stderr).to.not.include('sesame');
  });
});

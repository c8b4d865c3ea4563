import {execFileSync} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import pg from 'pg';
import type {TokenRecord} from '../../src/domain/records.js';
import {hashSecret} from '../../src/domain/secret.js';
import {type CopyProgress, copyStore} from '../../src/store/copy.js';
import {openStore} from '../../src/store/open.js';
import {type Store, StoreError, type StoreErrorKind} from '../../src/store/store.js';
import {runChild} from '../support/child.js';
import {makeTestDatabase} from '../support/postgres.js';
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

/** A location without a store. */
interface Place {
  readonly location: string;
  remove(): Promise<void>;
}

const kinds: Readonly<Record<string, () => Promise<Place>>> = {
  'a directory': async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'connectorctl-copy-'));
    const remove = () => rm(root, {recursive: true, force: true});
    return {location: path.join(root, 'store'), remove};
  },
  'a database': async () => {
    const database = await makeTestDatabase();
    // A copy waits for all connections of its application name, also for those of other tests.
    const location = `${database.url}&application_name=copy-${randomUUID()}`;
    return {location, remove: () => database.drop()};
  },
};

describe('copying a store', () => {
  let places: Place[];
  let now: number;

  beforeEach(() => {
    places = [];
    now = start + 2 * minute;
  });

  afterEach(() => Promise.all(places.map((place) => place.remove())));

  const place = async (kind: string): Promise<string> => {
    const made = await kinds[kind]!();
    places.push(made);
    return made.location;
  };

  const options = () => ({log: new RecordedLog(), now: () => now});
  const open = (location: string) => openStore(location, options());
  const copy = (from: string, to: string, onProgress?: (progress: CopyProgress) => void) =>
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

  /** Fills a store with records of every kind. */
  async function fill(store: Store) {
    const keys = [
      sampleApiKey({description: 'CI', expiresAt: start + day}),
      sampleApiKey({organization: 'umbrella', revokedAt: start + 1}),
    ];
    for (const key of keys) await store.createApiKey(key);
    await store.recordKeyUse(keys[0]!.id, start + 3);
    const tokens: Record<string, TokenRecord> = {
      open: sampleToken({description: 'rack 4'}),
      used: sampleToken(),
      expired: sampleToken({expiresAt: start + minute}),
      usedAndExpired: sampleToken({expiresAt: start + minute + 1}),
    };
    for (const token of Object.values(tokens)) await store.createToken(token);
    await store.redeemToken(sampleAttempt(tokens['used']!, {idempotencyHash: hashSecret('again')}));
    await store.redeemToken(sampleAttempt(tokens['usedAndExpired']!));
    const alive = await activate(store, {name: '👩‍👩‍👧 "\\'});
    await store.recordHeartbeat(alive.id, start + minute, {organization: 'acme'});
    await activate(store, {organization: 'umbrella'});
    const lost = await activate(store);
    await store.revokeConnector(lost.id, start + 5, 'laptop lost');
    return tokens;
  }

  const interruption = new Error('interrupted');
  const interrupt = () => {
    throw interruption;
  };

  /** Runs it synchronously, so that nothing else happens in this process meanwhile. */
  const runAtOnce = (database: string, sql: string): void => {
    const script = `const client = new (require('pg').Client)({connectionString: process.argv[1]});
      client.connect().then(() => client.query(process.argv[2])).then(() => client.end());`;
    execFileSync(process.execPath, ['-e', script, database, sql]);
  };

  const contentsOf = async (store: Store) => ({
    secret: Buffer.from(store.serverSecret).toString('hex'),
    keys: await store.listApiKeys(),
    acme: await listAll(store, 'acme'),
    umbrella: await listAll(store, 'umbrella'),
  });

  for (const from of Object.keys(kinds)) {
    for (const to of Object.keys(kinds)) {
      it(`from ${from} to ${to} keeps earlier keys and tokens for new keys, and refuses those of removed and revoked connectors`, async () => {
        const [source, target] = [await place(from), await place(to)];
        const idempotencyHash = hashSecret('once');
        const {open, removed, late, before} = await using(source, async (store) => {
          await store.createApiKey(sampleApiKey());
          const {id} = await activate(store);
          for (let keys = 0; keys < 3; keys += 1) {
            const reissue = sampleReissue(id);
            await store.reissueToken(reissue);
            const attempt = sampleAttempt(reissue, {idempotencyHash});
            await store.redeemToken(attempt);
            const keyHash = attempt.keyHashOf(id);
            if (keys < 2) await store.recordHeartbeat(id, start + minute, {keyHash});
          }
          const waiting = sampleReissue(id);
          await store.reissueToken(waiting);
          const token = sampleToken();
          await store.createToken(token);
          const attempt = sampleAttempt(token, {idempotencyHash});
          await store.redeemToken(attempt);
          await store.removeConnectors([attempt.connector.id], null);
          const {id: stolen} = await activate(store);
          const late = sampleReissue(stolen);
          await store.reissueToken(late);
          await store.revokeConnector(stolen, start, 'stolen');
          return {open: waiting, removed: token, late, before: await contentsOf(store)};
        });
        await copy(source, target);
        await using(target, async (store) => {
          expect(await contentsOf(store)).to.deep.equal(before);
          const keys = before.acme.find(({reissueHash}) => reissueHash !== null);
          expect(keys?.endedKeyHash).to.be.a('string');
          const outcome = async (token: {readonly hash: string}) =>
            (await store.redeemToken(sampleAttempt(token, {at: now, idempotencyHash}))).outcome;
          expect(await outcome(removed)).to.equal('unknown');
          expect(await outcome(late)).to.equal('used');
          expect(await outcome(open)).to.equal('reissued');
        });
      });

      it(`from ${from} to ${to} keeps all records and their meaning`, async () => {
        const [source, target] = [await place(from), await place(to)];
        const tokens = await using(source, fill);
        const before = await using(source, contentsOf);
        const result = await copy(source, target);
        expect(result.apiKeys.records).to.equal(2);
        expect(result.tokens.records).to.equal(5);
        expect(result.connectors.records).to.equal(5);
        await using(target, async (store) => {
          expect(await contentsOf(store)).to.deep.equal(before);
          const outcome = async (token: TokenRecord | undefined) =>
            (await store.redeemToken(sampleAttempt(token!, {at: now}))).outcome;
          expect(await outcome(tokens['expired'])).to.equal('unknown');
          expect(await outcome(tokens['usedAndExpired'])).to.equal('unknown');
          expect(await outcome(tokens['used'])).to.equal('used');
          const again = sampleAttempt(tokens['used']!, {
            idempotencyHash: hashSecret('again'),
            at: now,
          });
          expect((await store.redeemToken(again)).outcome).to.equal('repeated');
          expect(await outcome(tokens['open'])).to.equal('redeemed');
        });
        expect(await using(source, contentsOf)).to.deep.equal(before);
      });
    }
  }

  it('to a directory refuses an interrupted copy until it is removed', async () => {
    const [source, target] = [await place('a directory'), await place('a directory')];
    await using(source, fill);
    expect(await rejection(copy(source, target, interrupt))).to.equal(interruption);
    expect((await refusal(openStore(target, {...options(), create: false})))[0]).to.equal(
      'missing',
    );
    const {leftover} = (await rejection(copy(source, target))) as StoreError;
    await rm(leftover!, {recursive: true});
    expect((await copy(source, target)).connectors.records).to.equal(5);
    expect(await using(target, contentsOf)).to.deep.equal(await using(source, contentsOf));
  });

  it('to a database leaves nothing when it is interrupted', async () => {
    const [source, target] = [await place('a directory'), await place('a database')];
    await using(source, fill);
    for (const doing of ['copying', 'comparing']) {
      const interruptThen = (progress: CopyProgress) => progress.doing === doing && interrupt();
      expect(await rejection(copy(source, target, interruptThen))).to.equal(interruption);
      expect((await refusal(openStore(target, {...options(), create: false})))[0]).to.equal(
        'missing',
      );
    }
    expect((await copy(source, target)).connectors.records).to.equal(5);
    expect(await using(target, contentsOf)).to.deep.equal(await using(source, contentsOf));
  });

  for (const kind of Object.keys(kinds)) {
    describe(`to ${kind}`, () => {
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
        expect(failed).to.deep.equal([kind === 'a database' ? 'format' : 'unfinished']);
        const winner = copies[0].status === 'fulfilled' ? one : two;
        expect(await using(target, contentsOf)).to.deep.equal(await using(winner, contentsOf));
      });

      it('refuses a location that is not empty', async () => {
        const [source, target] = [await place('a directory'), await place(kind)];
        await using(source, fill);
        await using(target, async () => {});
        const [error, message] = await refusal(copy(source, target));
        expect(error).to.equal('format');
        expect(message).to.match(/is not empty|holds a store already/);
      });
    });

    it(`refuses ${kind} that is in use`, async () => {
      const [source, target] = [await place(kind), await place('a directory')];
      await using(source, async () => {
        expect((await refusal(copy(source, target)))[0]).to.equal('locked');
      });
    });

    it(`refuses ${kind} that holds no store, and leaves nothing behind`, async () => {
      const [source, target] = [await place(kind), await place('a directory')];
      expect((await refusal(copy(source, target)))[0]).to.equal('missing');
      expect(await readdir(path.dirname(target))).to.deep.equal([]);
    });
  }

  it('waits for connections that are about to close', async () => {
    const [source, target] = [await place('a database'), await place('a directory')];
    await using(source, fill);
    const last = new pg.Client({connectionString: source});
    await last.connect();
    const copying = copy(source, target);
    await delay(500);
    await last.end();
    expect((await copying).connectors.records).to.equal(5);
  });

  it('fails when the source changes during the copy', async () => {
    const [source, target] = [await place('a database'), await place('a directory')];
    await using(source, fill);
    const attempt = copy(source, target, ({doing, section}) => {
      if (doing === 'copying' && section === 'connectors')
        runAtOnce(source, "UPDATE connectors SET name = name || '.'");
    });
    const [kind, message] = await refusal(attempt);
    expect(kind).to.equal('locked');
    expect(message).to.include('it holds 5 connectors, the source 5.');
  });

  /** Calls back once, when the copy is committed and its comparison with the source has begun. */
  const whenCommitted = (change: () => void) => {
    let isDone = false;
    return ({doing}: CopyProgress) => {
      if (isDone || doing !== 'comparing') return;
      isDone = true;
      change();
    };
  };

  it('reads the files of a copy back from the disk', async () => {
    const [source, target] = [await place('a directory'), await place('a directory')];
    await using(source, fill);
    const unfinished = `${target}.copying`;
    const flip = () => {
      const file = path.join(unfinished, 'store.jsonl');
      writeFileSync(file, readFileSync(file, 'utf8').replace('laptop lost', 'laptop last'));
    };
    const [kind, message] = await refusal(copy(source, target, whenCommitted(flip)));
    expect(kind).to.equal('damaged');
    expect(message).to.include(unfinished);
  });

  it('succeeds when a token expires during the copy', async () => {
    for (const [from, to] of [
      ['a directory', 'a database'],
      ['a database', 'a directory'],
    ] as const) {
      const [source, target] = [await place(from), await place(to)];
      now = start + 2 * minute;
      await using(source, fill);
      const result = await copy(source, target, () => {
        now += day;
      });
      expect(result.tokens.records).to.equal(5);
    }
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
    expect([
      result.api_keys.records,
      result.tokens.records,
      result.connectors.records,
    ]).to.deep.equal([2, 7, 5]);
    const again = await command();
    expect(again.code).to.equal(2);
    expect(JSON.parse(again.stdout).error.message).to.include('holds a store already');
    expect(stdout + again.stdout + again.stderr).to.not.include('sesame');
  });

  it('with store copy shows how to remove an interrupted copy', async () => {
    const [source, target] = [await place('a directory'), await place('a directory')];
    await using(source, fill);
    expect(await rejection(copy(source, target, interrupt))).to.equal(interruption);
    const {code, stdout} = await runChild(['store', 'copy', source, target, '--json']);
    expect(code).to.equal(2);
    const {hint} = JSON.parse(stdout).error;
    expect(hint).to.include(`rm -r ${target}.copying`).and.not.include('--store');
  });
});

import {expect} from 'chai';
import fc from 'fast-check';
import pLimit from 'p-limit';
import {limits} from '../../../src/contract/index.js';
import type {ConnectorScope} from '../../../src/domain/activation.js';
import type {ConnectorRecord, TokenRecord} from '../../../src/domain/records.js';
import {removalBatch} from '../../../src/domain/removal.js';
import {hashSecret} from '../../../src/domain/secret.js';
import type {Bounds, Store} from '../../../src/store/store.js';
import {anyCharacter} from '../values/any-character.js';
import {
  activate,
  activated,
  connectorId,
  expectKind,
  listAll,
  minute,
  rejection,
  sampleApiKey,
  sampleAttempt,
  sampleReissue,
  sampleToken,
  start,
} from './samples.js';

/** A store under test, empty at first, which is closed and removed at the end of the test. */
interface StoreFixture {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** The bounds of stores that are opened later. */
  bounds: Bounds | undefined;
  /** Opens the store, also again after a `close`. */
  open(): Promise<Store>;
}

const byId = (connectors: readonly ConnectorRecord[]) =>
  [...connectors].sort((a, b) => (a.id < b.id ? -1 : 1));

/**
 * The behavior that all kinds of stores share.
 *
 * @param large `without`: leaves out what takes seconds in a database, because of many records or real time
 */
export function describeStore(
  name: string,
  makeFixture: () => Promise<StoreFixture>,
  large: 'with' | 'without' = 'with',
): void {
  const itLarge = large === 'with' ? it : () => {};
  describe(`${name}, as any store`, () => {
    let fixture: StoreFixture;
    let store: Store;

    const reopen = async (): Promise<void> => {
      await store.close();
      store = await fixture.open();
    };

    beforeEach(async () => {
      fixture = await makeFixture();
      store = await fixture.open();
    });

    describe('API keys', () => {
      it('are found by their hash', async () => {
        const key = sampleApiKey({description: 'CI', expiresAt: start + minute});
        await store.createApiKey(key);
        expect(await store.findApiKey(key.hash)).to.deep.equal(key);
        expect(await store.findApiKey(sampleApiKey().hash)).to.equal(undefined);
      });

      it('createFirstApiKey adds one of many simultaneous keys, and none later', async () => {
        const keys = Array.from({length: 20}, () => sampleApiKey());
        const made = await Promise.all(keys.map((key) => store.createFirstApiKey(key)));
        expect(made.filter(Boolean)).to.deep.equal([true]);
        const [first] = keys.filter((_, index) => made[index]);
        expect(await store.listApiKeys()).to.deep.equal([first]);
        await store.revokeApiKey(first!.id, start + 1, null);
        expect(await store.createFirstApiKey(sampleApiKey())).to.equal(false);
      });

      it('are listed oldest first', async () => {
        const late = sampleApiKey({createdAt: start + 2});
        const early = sampleApiKey({createdAt: start + 1, organization: 'umbrella'});
        await store.createApiKey(late);
        await store.createApiKey(early);
        expect(await store.listApiKeys()).to.deep.equal([early, late]);
      });

      it('are revoked once, and still found and listed', async () => {
        const key = sampleApiKey();
        const other = sampleApiKey();
        await store.createApiKey(key);
        await store.createApiKey(other);
        const revoked = {...key, revokedAt: start + 5, revocationReason: 'left the company'};
        const {revocationReason: reason} = revoked;
        expect(await store.revokeApiKey(key.id, start + 5, reason)).to.deep.equal(revoked);
        expect(await store.revokeApiKey(key.id, start + 9, 'again')).to.deep.equal(revoked);
        await reopen();
        expect(await store.findApiKey(key.hash)).to.deep.equal(revoked);
        expect(await store.listApiKeys()).to.deep.equal([revoked, other]);
      });

      it('keep the latest time of use, also after a restart', async () => {
        const key = sampleApiKey();
        const other = sampleApiKey();
        await store.createApiKey(key);
        await store.createApiKey(other);
        await store.recordKeyUse(key.id, start + 9);
        await store.recordKeyUse('key_unknown', start + 9);
        const used = {...key, lastUsedAt: start + 9};
        expect(await store.findApiKey(key.hash)).to.deep.equal(used);
        await reopen();
        expect(await store.listApiKeys()).to.deep.equal([used, other]);
      });
    });

    describe('redeeming a token', () => {
      it('creates one connector in the organization of the token', async () => {
        const token = sampleToken({organization: 'umbrella', description: 'rack 4'});
        await store.createToken(token);
        const attempt = sampleAttempt(token, {connector: {name: 'build-07'}});
        const connector = activated(attempt, 'umbrella');
        expect(await store.redeemToken(attempt)).to.deep.equal({outcome: 'redeemed', connector});
        expect(await listAll(store, 'umbrella')).to.deep.equal([connector]);
        expect(await listAll(store, 'acme')).to.deep.equal([]);
      });

      it('succeeds once in a hundred simultaneous attempts', async () => {
        const token = sampleToken();
        await store.createToken(token);
        const results = await Promise.all(
          Array.from({length: 100}, () => store.redeemToken(sampleAttempt(token))),
        );
        const winners = results.filter(({outcome}) => outcome === 'redeemed');
        expect(winners).to.have.length(1);
        expect(results.filter(({outcome}) => outcome === 'used')).to.have.length(99);
        expect(await listAll(store, 'acme')).to.deep.equal([
          winners[0]?.outcome === 'redeemed' ? winners[0].connector : undefined,
        ]);
      });
    });

    describe('redeeming a token again with the same Idempotency-Key', () => {
      const idempotencyHash = hashSecret('first');

      it('returns the connector in its current state, and refuses any other attempt, after a restart', async () => {
        const token = sampleToken();
        await store.createToken(token);
        const first = sampleAttempt(token, {idempotencyHash});
        await store.redeemToken(first);
        const connector = {...activated(first), lastHeartbeatAt: start + 2 * minute};
        await store.recordHeartbeat(connector.id, start + 2 * minute, {organization: 'acme'});
        await reopen();
        const again = sampleAttempt(token, {idempotencyHash, at: start + 3 * minute});
        expect(await store.redeemToken(again)).to.deep.equal({outcome: 'repeated', connector});
        expect(await store.redeemToken(sampleAttempt(token))).to.deep.equal({outcome: 'used'});
        const unknown = sampleAttempt(sampleToken());
        expect(await store.redeemToken(unknown)).to.deep.equal({outcome: 'unknown'});
        expect(await listAll(store, 'acme')).to.deep.equal([connector]);
      });
    });

    describe('connectors', () => {
      it('are not found by an unknown id, or out of scope', async () => {
        const {id} = await activate(store);
        for (const unknown of ['', 'con_', id.toUpperCase(), `${id}0`, `${id}\0`, '__proto__']) {
          expect(await store.findConnector(unknown, {organization: 'acme'})).to.equal(undefined);
        }
        for (const scope of [{organization: 'Acme'}, {keyHash: hashSecret('other')}])
          expect(await store.findConnector(id, scope)).to.equal(undefined);
      });

      itLarge('keep their names and organizations, however unusual', async () => {
        const text = (maximum: number) =>
          fc
            .string({unit: anyCharacter, minLength: 1, maxLength: maximum})
            .filter((value) => /^[^\p{Cc}\p{Cs}]+$/u.test(value));
        const odd = fc.constantFrom(
          '"',
          '\\',
          '\\u0000',
          '{"a":1}',
          '\u2028',
          '👩‍👩‍👧',
          "'; --",
          '%00',
        );
        const names = fc.array(fc.oneof(odd, text(limits.nameLength)), {
          minLength: 1,
          maxLength: 8,
        });
        await fc.assert(
          fc.asyncProperty(names, text(limits.nameLength), async (given, organization) => {
            const made = await Promise.all(
              given.map((name) => activate(store, {name, organization})),
            );
            await reopen();
            for (const connector of made) {
              const found = await store.findConnector(connector.id, {organization});
              expect(found).to.deep.equal(connector);
            }
          }),
          {numRuns: 8},
        );
      });
    });

    describe('a heartbeat', () => {
      it('is recorded for the organization and for the connector itself', async () => {
        const connector = await activate(store);
        const scopes = [{organization: 'acme'}, {keyHash: connector.keyHash}];
        for (const [index, scope] of scopes.entries()) {
          const at = start + (2 + index) * minute;
          const alive = {...connector, lastHeartbeatAt: at};
          expect(await store.recordHeartbeat(connector.id, at, scope)).to.include({
            id: connector.id,
            lastHeartbeatAt: at,
            revokedAt: null,
          });
          expect(await store.findConnector(connector.id, scope)).to.deep.equal(alive);
        }
      });

      it('is refused out of scope, and changes nothing', async () => {
        const connector = await activate(store);
        const other = await activate(store);
        const at = start + 2 * minute;
        for (const scope of [{organization: 'umbrella'}, {keyHash: other.keyHash}]) {
          expect(await store.recordHeartbeat(connector.id, at, scope)).to.equal(undefined);
        }
        const unknown = await store.recordHeartbeat('con_unknown', at, {organization: 'acme'});
        expect(unknown).to.equal(undefined);
        expect(await listAll(store, 'acme')).to.deep.equal([connector, other]);
      });

      it('never goes backwards', async () => {
        const {id} = await activate(store);
        const scope = {organization: 'acme'};
        const times = [5, 3, 9, 9, 1].map((minutes) => start + minutes * minute);
        for (const [index, at] of times.entries()) {
          const latest = Math.max(...times.slice(0, index + 1));
          const response = await store.recordHeartbeat(id, at, scope);
          expect(response?.lastHeartbeatAt).to.equal(latest);
        }
        await reopen();
        const found = await store.findConnector(id, scope);
        expect(found?.lastHeartbeatAt).to.equal(start + 9 * minute);
      });

      it('shows which processes take turns to send, until the connector gets another key', async () => {
        const connector = await activate(store);
        const scope = {organization: 'acme'};
        const senders = async () => (await store.findConnector(connector.id, scope))?.senders;
        const beat = (id: string | undefined, minutes: number) =>
          store.recordHeartbeat(
            connector.id,
            start + minutes * minute,
            scope,
            id === undefined ? undefined : {id, interval: minute},
          );
        expect(await senders()).to.equal(null);
        for (const [minutes, id] of ['one', 'one', undefined, 'copy'].entries()) {
          await beat(id, minutes + 1);
        }
        const one = {id: 'one', since: start + minute, until: start + 3 * minute};
        const turn = {last: 'copy', since: start + 4 * minute, earlier: [one], sharedAt: null};
        expect(await senders()).to.deep.equal(turn);
        await beat('one', 5);
        expect(await senders()).to.include({last: 'one', sharedAt: start + 5 * minute});
        const token = sampleReissue(connector.id);
        await store.reissueToken(token);
        await store.redeemToken(sampleAttempt(token));
        expect(await senders()).to.equal(null);
      });
    });

    describe('the list of connectors', () => {
      it('is in the order of ids, whatever the order of activation', async () => {
        const ids = Array.from({length: 30}, connectorId);
        const shuffled = ids.map((_, index) => ids[(index * 7) % ids.length]!);
        for (const id of shuffled) await activate(store, {id});
        await activate(store, {organization: 'umbrella'});
        const listed = await listAll(store, 'acme');
        expect(listed.map(({id}) => id)).to.deep.equal(ids);
        await reopen();
        expect(await listAll(store, 'acme')).to.deep.equal(listed);
      });

      it('has the same connectors in pages of any size', async () => {
        const all: ConnectorRecord[] = [];
        for (let count = 0; count < 25; count += 1) all.push(await activate(store));
        for (const limit of [1, 7, 25, 26]) {
          const paged: ConnectorRecord[] = [];
          for (;;) {
            const page = await listAll(store, 'acme', {after: paged.at(-1)?.id, limit});
            expect(page.length).to.be.at.most(limit);
            if (page.length === 0) break;
            paged.push(...page);
          }
          expect(paged).to.deep.equal(all);
        }
      });

      it('continues after an unknown id', async () => {
        const one = await activate(store);
        const two = await activate(store);
        expect(await listAll(store, 'acme', {after: `${one.id}!`})).to.deep.equal([two]);
        expect(await listAll(store, 'acme', {after: `${one.id}\0`})).to.deep.equal([two]);
        expect(await listAll(store, 'acme', {after: ''})).to.deep.equal([one, two]);
        expect(await listAll(store, 'acme', {after: two.id})).to.deep.equal([]);
      });

      itLarge('comes in batches and shows nothing twice during activations', async () => {
        const tokens = Array.from({length: 1200}, () => sampleToken());
        // On a busy machine, the store would refuse some of 1,200 at once.
        const limit = pLimit(50);
        await Promise.all(tokens.map((token) => limit(() => store.createToken(token))));
        const attempts = tokens.map((token) => sampleAttempt(token));
        await Promise.all(attempts.map((attempt) => limit(() => store.redeemToken(attempt))));
        const seen: string[] = [];
        let batches = 0;
        for await (const batch of store.listConnectors('acme')) {
          seen.push(...batch.map(({id}) => id));
          batches += 1;
          if (batches === 1) await activate(store);
        }
        expect(batches).to.be.above(1);
        expect(new Set(seen).size).to.equal(seen.length);
        const expected = new Set(seen);
        for (const {connector} of attempts) expect(expected.has(connector.id)).to.equal(true);
        // PostgreSQL reads 250 rows at a time.
        const ids = (await listAll(store, 'acme')).map(({id}) => id);
        for (const limit of [250, 251, 500, 501]) {
          const page = await listAll(store, 'acme', {limit});
          expect(page.map(({id}) => id)).to.deep.equal(ids.slice(0, limit));
        }
      });
    });

    describe('its measure', () => {
      it('counts connectors of all organizations by status, with inclusive bounds', async () => {
        const bounds = {onlineSince: start + 100, staleSince: start + 50};
        const times = [null, start + 49, start + 50, start + 99, start + 100, start + 101];
        for (const [index, at] of times.entries()) {
          const organization = index % 2 === 0 ? 'acme' : 'umbrella';
          const {id} = await activate(store, {organization});
          if (at !== null) await store.recordHeartbeat(id, at, {organization});
        }
        const {id} = await activate(store);
        await store.recordHeartbeat(id, start + 100, {organization: 'acme'});
        await store.revokeConnector(id, start, null);
        const connectors = {never: 1, offline: 1, stale: 2, online: 2, revoked: 1};
        expect((await store.measure(bounds)).connectors).to.deep.equal(connectors);
        await reopen();
        const {connectors: counted, bytes} = await store.measure(bounds);
        expect(counted).to.deep.equal(connectors);
        if (bytes !== null) expect(bytes).to.be.above(100);
      });
    });

    describe('revoking the key of a connector', () => {
      const acme = {organization: 'acme'};

      it('keeps the connector, the time and the reason, also after a restart', async () => {
        const connector = await activate(store);
        const other = await activate(store);
        const revoked = {...connector, revokedAt: start + 5, revocationReason: 'laptop lost'};
        expect(await store.revokeConnector(connector.id, start + 5, 'laptop lost')).to.deep.equal(
          revoked,
        );
        for (let opened = 0; opened < 2; opened += 1) {
          expect(await store.revokeConnector(connector.id, start + 9, 'again')).to.deep.equal(
            revoked,
          );
          expect(await store.findConnector(connector.id, acme)).to.deep.equal(revoked);
          expect(
            await store.findConnector(connector.id, {keyHash: connector.keyHash}),
          ).to.deep.equal(revoked);
          expect(await listAll(store, 'acme')).to.deep.equal([revoked, other]);
          expect(await store.listRevokedConnectors()).to.deep.equal([revoked]);
          await reopen();
        }
      });
    });

    describe('removing connectors', () => {
      const acme = {organization: 'acme'};

      it('removes those of any organization from every read, also after a restart', async () => {
        const removed = [await activate(store), await activate(store, {organization: 'umbrella'})];
        await store.revokeConnector(removed[0]!.id, start, 'sold');
        const kept = await activate(store);
        const found = await store.findConnectors([kept, ...removed].map(({id}) => id));
        expect(found).to.have.length(3);
        const gone = await store.removeConnectors([...removed.map(({id}) => id), 'con_x'], null);
        expect(byId(gone)).to.deep.equal(byId(found.filter(({id}) => id !== kept.id)));
        for (let opened = 0; opened < 2; opened += 1) {
          for (const {id, organization, keyHash} of removed) {
            expect(await store.findConnector(id, {organization})).to.equal(undefined);
            expect(await store.findConnector(id, {keyHash})).to.equal(undefined);
            expect(await store.recordHeartbeat(id, start, {organization})).to.equal(undefined);
            expect(await store.recordHeartbeat(id, start, {keyHash})).to.equal(undefined);
            expect(await store.findConnectors([id])).to.deep.equal([]);
            expect(await store.removeConnectors([id, id], null)).to.deep.equal([]);
            expect(await store.revokeConnector(id, start, null)).to.equal(undefined);
            expect(await store.reissueToken(sampleReissue(id))).to.equal(undefined);
          }
          expect(await listAll(store, 'acme')).to.deep.equal([kept]);
          expect(await listAll(store, 'umbrella')).to.deep.equal([]);
          expect(await store.listRevokedConnectors()).to.deep.equal([]);
          expect(await store.measure({onlineSince: 1, staleSince: 0})).to.deep.include({
            connectors: {never: 1, online: 0, stale: 0, offline: 0, revoked: 0},
            largest: {tokens: 0, connectors: 1},
          });
          await reopen();
        }
      });

      it('never removes a connector as silent whose heartbeat was acknowledged before', async () => {
        const ids: string[] = [];
        for (let made = 0; made < 40; made += 1) {
          const {id} = await activate(store);
          await store.recordHeartbeat(id, start, acme);
          ids.push(id);
        }
        const [removed, ...beats] = await Promise.all([
          store.removeConnectors(ids, start + minute),
          ...ids.map((id) => store.recordHeartbeat(id, start + minute, acme)),
        ]);
        const alive = beats.flatMap((beat) => beat?.id ?? []);
        expect([...alive, ...removed.map(({id}) => id)].sort()).to.deep.equal([...ids].sort());
        expect((await listAll(store, 'acme')).map(({id}) => id)).to.deep.equal([...alive].sort());
        await reopen();
        expect((await listAll(store, 'acme')).map(({id}) => id)).to.deep.equal([...alive].sort());
      });

      itLarge(
        'removes each once in simultaneous removals of as many as are possible at once',
        async () => {
          const limit = pLimit(50);
          const made = Array.from({length: removalBatch}, () => limit(() => activate(store)));
          const ids = (await Promise.all(made)).map(({id}) => id);
          const kept = await activate(store);
          const removals = await Promise.all([
            store.removeConnectors(ids, null),
            store.removeConnectors([...ids].reverse(), null),
          ]);
          expect(byId(removals.flat()).map(({id}) => id)).to.deep.equal([...ids].sort());
          expect(await listAll(store, 'acme')).to.deep.equal([kept]);
        },
      );

      itLarge('makes room for as many connectors', async () => {
        fixture.bounds = {tokens: 10, connectors: 2};
        await reopen();
        const {id} = await activate(store);
        await activate(store);
        const token = sampleToken();
        await store.createToken(token);
        const outcome = async () => (await store.redeemToken(sampleAttempt(token))).outcome;
        expect(await outcome()).to.equal('full');
        await store.removeConnectors([id], null);
        // A store may take two seconds to notice.
        let made = await outcome();
        while (made === 'full') made = await outcome();
        expect(made).to.equal('redeemed');
        expect(await listAll(store, 'acme')).to.have.length(2);
      });
    });

    describe('a new key for a connector', () => {
      const idempotencyHash = hashSecret('first');

      /** Redeems a token for a new key. @returns the connector, and the scope of the new key */
      const replace = async (reissue: {readonly hash: string}, name = 'build-01') => {
        const attempt = sampleAttempt(reissue, {idempotencyHash, connector: {name}});
        const result = await store.redeemToken(attempt);
        if (result.outcome !== 'reissued') throw new Error(`the token is ${result.outcome}`);
        return {
          connector: result.connector,
          scope: {keyHash: attempt.keyHashOf(result.connector.id)},
        };
      };

      const beat = (id: string, scope: ConnectorScope) =>
        store.recordHeartbeat(id, start + 9 * minute, scope);

      it('keeps the connector, takes the name, and ends the old key at once, also after a restart', async () => {
        const old = await activate(store, {name: 'before', organization: 'umbrella'});
        await store.recordHeartbeat(old.id, start + 5 * minute, {organization: 'umbrella'});
        const reissue = sampleReissue(old.id);
        const found = {...old, lastHeartbeatAt: start + 5 * minute, reissueHash: reissue.hash};
        expect(await store.reissueToken(reissue)).to.deep.equal(found);
        expect(await store.findConnector(old.id, {keyHash: old.keyHash})).to.deep.equal(found);
        expect(await beat(old.id, {keyHash: old.keyHash})).to.include({id: old.id});
        const {connector, scope} = await replace(reissue, 'after');
        expect(connector).to.deep.equal({
          ...found,
          lastHeartbeatAt: start + 9 * minute,
          name: 'after',
          keyHash: scope.keyHash,
          endedKeyHash: old.keyHash,
          reissueHash: null,
        });
        for (let opened = 0; opened < 2; opened += 1) {
          expect(await listAll(store, 'umbrella')).to.deep.equal([connector]);
          expect(await beat(old.id, {keyHash: old.keyHash})).to.equal(undefined);
          for (const own of [scope, {keyHash: old.keyHash}]) {
            expect(await store.findConnector(old.id, own)).to.deep.equal(connector);
          }
          expect(await beat(old.id, scope)).to.include({id: old.id});
          await reopen();
        }
      });

      it('comes once from a hundred simultaneous activations', async () => {
        const {id} = await activate(store);
        const reissue = sampleReissue(id);
        await store.reissueToken(reissue);
        const results = await Promise.all(
          Array.from({length: 100}, (_, index) =>
            store.redeemToken(
              sampleAttempt(reissue, {idempotencyHash: hashSecret(`${index % 4}`)}),
            ),
          ),
        );
        const count = (wanted: string) => results.filter(({outcome}) => outcome === wanted).length;
        expect([count('reissued'), count('repeated'), count('used')]).to.deep.equal([1, 24, 75]);
        expect(await listAll(store, 'acme')).to.have.length(1);
      });

      it('leaves room for the tokens of its organization, however many are open', async () => {
        fixture.bounds = {tokens: 2, connectors: 10};
        await reopen();
        for (let made = 0; made < 3; made += 1) {
          await store.reissueToken(sampleReissue((await activate(store)).id));
        }
        for (let opened = 0; opened < 2; opened += 1) {
          const {largest} = await store.measure({onlineSince: 1, staleSince: 0});
          expect(largest.tokens).to.equal(opened);
          expect(await store.createToken(sampleToken())).to.equal(true);
          await reopen();
        }
        expect(await store.createToken(sampleToken())).to.equal(false);
      });
    });

    describe('bounds', () => {
      const within = async (bounds: Bounds): Promise<void> => {
        fixture.bounds = bounds;
        await reopen();
      };

      itLarge(
        'refuse a token beyond those of its organization that are unused, until one is used or removed',
        async () => {
          await within({tokens: 3, connectors: 10});
          const create = (fields?: Partial<TokenRecord>) => store.createToken(sampleToken(fields));
          const first = sampleToken();
          expect(await store.createToken(first)).to.equal(true);
          expect([await create(), await create(), await create()]).to.deep.equal([
            true,
            true,
            false,
          ]);
          expect(await create({organization: 'umbrella'})).to.equal(true);
          expect((await store.redeemToken(sampleAttempt(first))).outcome).to.equal('redeemed');
          // A store may take two seconds to notice.
          let isCreated = false;
          while (!isCreated) isCreated = await create();
          expect(await create()).to.equal(false);
          await reopen();
          expect(await create()).to.equal(false);
          fixture.now = start + 76 * minute;
          const later = {createdAt: fixture.now, expiresAt: fixture.now + minute};
          isCreated = false;
          while (!isCreated) isCreated = await create(later);
          expect(isCreated).to.equal(true);
        },
      );

      it('refuse a connector beyond those of its organization, whose token stays valid and which repetitions do not count', async () => {
        await within({tokens: 10, connectors: 2});
        const idempotencyHash = hashSecret('once');
        const tokens = Array.from({length: 3}, () => sampleToken());
        for (const token of tokens) await store.createToken(token);
        const redeem = async (token: TokenRecord | undefined) =>
          (await store.redeemToken(sampleAttempt(token!, {idempotencyHash}))).outcome;
        expect(await redeem(tokens[0])).to.equal('redeemed');
        expect(await redeem(tokens[1])).to.equal('redeemed');
        expect(await redeem(tokens[2])).to.equal('full');
        expect(await redeem(tokens[0])).to.equal('repeated');
        await activate(store, {organization: 'umbrella'});
        await within({tokens: 1, connectors: 1});
        expect(await listAll(store, 'acme')).to.have.length(2);
        expect(await redeem(tokens[2])).to.equal('full');
        await within({tokens: 1, connectors: 3});
        expect(await redeem(tokens[2])).to.equal('redeemed');
        expect(await store.measure({onlineSince: 1, staleSince: 0})).to.deep.include({
          largest: {tokens: 0, connectors: 3},
        });
      });

      it('of 20 connectors are exceeded by less than two in a hundred simultaneous activations', async () => {
        await within({tokens: 100, connectors: 20});
        const tokens = Array.from({length: 100}, () => sampleToken());
        await Promise.all(tokens.map((token) => store.createToken(token)));
        const outcomes = await Promise.all(
          tokens.map(async (token) => (await store.redeemToken(sampleAttempt(token))).outcome),
        );
        const made = outcomes.filter((outcome) => outcome === 'redeemed');
        expect(made.length).to.be.within(20, 21);
        expect(await listAll(store, 'acme')).to.have.length(made.length);
        expect(outcomes.filter((outcome) => outcome === 'full')).to.have.length(100 - made.length);
      });
    });

    describe('after a restart', () => {
      it('the server secret is unchanged, and differs from that of another store', async () => {
        const secret = Buffer.from(store.serverSecret);
        expect(secret).to.have.length(32);
        await reopen();
        expect(Buffer.from(store.serverSecret)).to.deep.equal(secret);
        const other = await (await makeFixture()).open();
        expect(Buffer.from(other.serverSecret)).not.to.deep.equal(secret);
      });
    });

    describe('closing', () => {
      it('finishes the calls in flight', async () => {
        const token = sampleToken();
        await store.createToken(token);
        const inFlight = Promise.all([
          store.createApiKey(sampleApiKey()),
          ...Array.from({length: 5}, () => store.redeemToken(sampleAttempt(token))),
        ]);
        await store.close();
        const [, ...results] = await inFlight;
        const outcomes = results.map((result) => result.outcome).sort();
        expect(outcomes).to.deep.equal(['redeemed', 'used', 'used', 'used', 'used']);
        store = await fixture.open();
        expect(await listAll(store, 'acme')).to.have.length(1);
        expect(await store.listApiKeys()).to.have.length(1);
      });

      it('makes every later call reject', async () => {
        const {id} = await activate(store);
        await store.check();
        await store.close();
        const token = sampleToken();
        const calls = [
          () => store.createApiKey(sampleApiKey()),
          () => store.createFirstApiKey(sampleApiKey()),
          () => store.findApiKey('x'),
          () => store.listApiKeys(),
          () => store.revokeApiKey('x', start, null),
          () => store.revokeConnector('x', start, null),
          () => store.listRevokedConnectors(),
          () => store.reissueToken(sampleReissue(id)),
          () => store.findConnectors([id]),
          () => store.removeConnectors([id], null),
          () => store.recordKeyUse('x', start),
          () => store.createToken(token),
          () => store.redeemToken(sampleAttempt(token)),
          () => store.findConnector(id, {organization: 'acme'}),
          () => listAll(store, 'acme'),
          () => store.recordHeartbeat(id, start, {organization: 'acme'}),
          () => store.measure({onlineSince: 1, staleSince: 0}),
          () => store.check(),
          () => store.close(),
        ];
        for (const call of calls) {
          expectKind(await rejection(call()), 'closed');
        }
      });
    });
  });
}

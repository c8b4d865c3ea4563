import {expect} from 'chai';
import fc from 'fast-check';
import {firstKey} from '../../src/domain/connector-keys.js';
import {newConnectorDefaults} from '../../src/domain/records.js';
import {digest} from '../../src/store/digest.js';
import type {TransferRecord} from '../../src/store/transfer.js';
import {connectorId, sampleApiKey, sampleToken, start} from '../support/store/samples.js';

const makers: Readonly<Record<string, () => TransferRecord>> = {
  apiKey: () => sampleApiKey(),
  token: () => sampleToken(),
  usedToken: () => ({
    ...sampleToken(),
    redemption: {at: start, attemptId: connectorId(), idempotencyHash: null},
  }),
  connector: () => ({
    id: connectorId(),
    organization: 'acme',
    name: 'build-01',
    keyHash: sampleApiKey().hash,
    activatedAt: start,
    ...newConnectorDefaults,
    ...firstKey,
  }),
};

const digestOf = (...batches: readonly (readonly TransferRecord[])[]) =>
  digest(
    (async function* () {
      yield* batches;
    })(),
  );

describe('the digest of a section', () => {
  const records = Array.from({length: 40}, () =>
    Object.values(makers).map((make) => make()),
  ).flat();

  it('is the same for the same records in any order and any batches', async () => {
    const expected = await digestOf(records);
    expect(expected.records).to.equal(160);
    expect(expected.sha256).to.match(/^[0-9a-f]{64}$/);
    const shuffled = fc.shuffledSubarray(records, {minLength: records.length});
    const property = fc.asyncProperty(shuffled, fc.nat({max: 160}), async (all, cut) => {
      expect(await digestOf(all.slice(0, cut), all.slice(cut))).to.deep.equal(expected);
    });
    await fc.assert(property, {numRuns: 20});
  });

  it('is the same for a record whose members come in another order', async () => {
    const reversed = records.map((record) => Object.fromEntries(Object.entries(record).reverse()));
    expect(await digestOf(reversed as TransferRecord[])).to.deep.equal(await digestOf(records));
  });

  for (const [type, make] of Object.entries(makers)) {
    for (const field of Object.keys(make())) {
      it(`changes when the field ${field} of one record of type ${type} does`, async () => {
        const record = make();
        const changed = {...record, [field]: 'another'} as unknown as TransferRecord;
        const [before, after] = [
          await digestOf(records, [record]),
          await digestOf(records, [changed]),
        ];
        expect(after.records).to.equal(before.records);
        expect(after.sha256).not.to.equal(before.sha256);
      });
    }
  }

  it('changes in its sum when one record replaces another that is there twice', async () => {
    const [first, second, third] = records as [TransferRecord, TransferRecord, TransferRecord];
    const sums = await Promise.all(
      [
        [first, first, second],
        [first, second, second],
        [third, third, second],
      ].map(async (some) => (await digestOf(some)).sha256),
    );
    expect(new Set(sums).size).to.equal(3);
  });

  it('changes in both parts when one record is missing or there twice', async () => {
    const whole = await digestOf(records);
    for (const [other, count] of [
      [await digestOf(records.slice(1)), 159],
      [await digestOf(records, records.slice(0, 1)), 161],
    ] as const) {
      expect(other.records).to.equal(count);
      expect(other.sha256).not.to.equal(whole.sha256);
    }
  });
});

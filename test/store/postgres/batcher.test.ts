import {expect} from 'chai';
import {Batcher} from '../../../src/store/postgres/batcher.js';
import {StoreError} from '../../../src/store/store.js';
import {rejection} from '../../support/store/samples.js';

/** A batcher of numbers; the test decides when each batch ends. */
function makeBatcher(options: {size?: number; capacity?: number; now?: () => number} = {}) {
  const batches: {items: [string, number][]; end(error?: Error): void}[] = [];
  const started: (() => void)[] = [];
  const batcher = new Batcher<number, string>({
    size: 100,
    capacity: 1000,
    patience: 2000,
    ...options,
    merge: Math.max,
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({
          items: [...items],
          end(error) {
            if (error) reject(error);
            else resolve(new Map([...items].map(([key, item]) => [key, `${key}${item}`])));
          },
        });
        started.shift()?.();
      }),
  });
  /** Waits for the next batch to start. */
  const next = () => new Promise<void>((resolve) => started.push(resolve));
  return {batcher, batches, next};
}

describe('a batcher', () => {
  it('combines simultaneous calls into one batch', async () => {
    const {batcher, batches, next} = makeBatcher();
    const results = Promise.all([batcher.call('a', 1), batcher.call('b', 2)]);
    await next();
    batches[0]!.end();
    expect(await results).to.deep.equal(['a1', 'b2']);
    expect(batches).to.have.length(1);
  });

  it('combines calls that arrive during a batch into the next one', async () => {
    const {batcher, batches, next} = makeBatcher();
    const first = batcher.call('a', 1);
    await next();
    const more = Promise.all([batcher.call('a', 2), batcher.call('b', 3)]);
    const second = next();
    batches[0]!.end();
    await second;
    batches[1]!.end();
    expect(await first).to.equal('a1');
    expect(await more).to.deep.equal(['a2', 'b3']);
    expect(batches.map(({items}) => items)).to.deep.equal([
      [['a', 1]],
      [
        ['a', 2],
        ['b', 3],
      ],
    ]);
  });

  it('merges items with the same key', async () => {
    const {batcher, batches, next} = makeBatcher();
    const results = Promise.all([5, 9, 7].map((item) => batcher.call('a', item)));
    await next();
    batches[0]!.end();
    expect(await results).to.deep.equal(['a9', 'a9', 'a9']);
    expect(batches[0]!.items).to.deep.equal([['a', 9]]);
  });

  it('returns undefined for a key without a result', async () => {
    const batcher = new Batcher<null, string>({
      size: 1,
      capacity: 1,
      patience: 2000,
      merge: () => null,
      run: async () => new Map(),
    });
    expect(await batcher.call('a', null)).to.equal(undefined);
  });

  it('rejects all calls of a failed batch, and continues with the next batch', async () => {
    const {batcher, batches, next} = makeBatcher();
    const failed = Promise.all(['a', 'b'].map((key) => rejection(batcher.call(key, 1))));
    await next();
    const after = batcher.call('a', 2);
    const second = next();
    const error = new Error('no');
    batches[0]!.end(error);
    expect(await failed).to.deep.equal([error, error]);
    await second;
    batches[1]!.end();
    expect(await after).to.equal('a2');
  });

  it('rejects calls that waited too long for the batch before them, and processes the others of their batch', async () => {
    let now = 0;
    const {batcher, batches, next} = makeBatcher({now: () => now});
    const first = batcher.call('a', 1);
    await next();
    const late = rejection(batcher.call('late', 1));
    now = 500;
    const soon = batcher.call('soon', 2);
    const second = next();
    now = 2001;
    batches[0]!.end();
    await second;
    batches[1]!.end();
    expect(await late)
      .to.be.instanceOf(StoreError)
      .with.property('kind', 'unavailable');
    expect(await Promise.all([first, soon])).to.deep.equal(['a1', 'soon2']);
    expect(batches[1]!.items).to.deep.equal([['soon', 2]]);

    // A batch of late calls only is not processed at all.
    const running = batcher.call('a', 3);
    await next();
    const only = rejection(batcher.call('late', 3));
    now = 5000;
    batches[2]!.end();
    expect(await only)
      .to.be.instanceOf(StoreError)
      .with.property('kind', 'unavailable');
    expect(await running).to.equal('a3');
    expect(batches).to.have.length(3);
  });

  it('starts another batch when one is full, and rejects calls beyond its queue limit', async () => {
    const {batcher, batches, next} = makeBatcher({size: 2, capacity: 4});
    const calls = ['a', 'b', 'c', 'd'].map((key) => batcher.call(key, 1));
    const again = batcher.call('d', 2);
    const refused = await rejection(batcher.call('e', 1));
    expect(refused).to.be.instanceOf(StoreError).with.property('kind', 'unavailable');
    await next();
    const second = next();
    batches[0]!.end();
    await second;
    batches[1]!.end();
    expect(await Promise.all([...calls, again])).to.deep.equal(['a1', 'b1', 'c1', 'd2', 'd2']);
  });
});

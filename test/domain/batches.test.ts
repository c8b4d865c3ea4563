import {expect} from 'chai';
import {batched, batchesOf} from '../../src/domain/batches.js';
import {streamOf} from '../support/render.js';

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

describe('batchesOf', () => {
  it('returns the batches of a source in batches', async () => {
    const source = batched(streamOf([[1, 2], [3]]));
    expect(await collected(batchesOf(source))).to.deep.equal([[1, 2], [3]]);
  });

  it('returns an array as one batch, and other items one by one', async () => {
    expect(await collected(batchesOf([1, 2]))).to.deep.equal([[1, 2]]);
    expect(await collected(batchesOf([]))).to.deep.equal([]);
    expect(await collected(batchesOf(streamOf([1, 2])))).to.deep.equal([[1], [2]]);
  });

  it('closes the source when the reader stops early', async () => {
    let closed = 0;
    for await (const _ of batchesOf(batched(streamOf([[1]], () => closed++)))) break;
    for await (const _ of batched(streamOf([[1, 2]], () => closed++))) break;
    expect(closed).to.equal(2);
  });
});

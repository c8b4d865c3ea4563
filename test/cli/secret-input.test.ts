import {PassThrough} from 'node:stream';
import {expect} from 'chai';
import {readAll} from '../../src/cli/secret-input.js';
import {failure} from '../client/support.js';

const limits = {bytes: 8, wait: 20};
const read = (stream: PassThrough) => readAll(stream, 'API key', 'the pipe', '--file', limits);

describe('reading a secret from a stream', () => {
  it('reads to the end, in however many pieces', async () => {
    const stream = new PassThrough();
    const text = read(stream);
    stream.write('ab');
    stream.write('cd');
    stream.end('efgh');
    expect(await text).to.equal('abcdefgh');
  });

  it('does not wait for ever for a pipe that nobody closes', async () => {
    const stream = new PassThrough();
    stream.write('abc');
    const error = await failure(() => read(stream));
    expect(error.kind).to.equal('usage');
    expect(error.message).to.equal(
      'Cannot read the API key from the pipe: it did not end within 0.02 s.',
    );
    expect(stream.destroyed).to.equal(true);
  });

  it('takes nothing that is longer than a secret can be', async () => {
    const stream = new PassThrough();
    stream.end('abcdefghi');
    const {message, hint} = await failure(() => read(stream));
    expect(message).to.equal('No API key in the pipe: it is longer than any.');
    expect(hint).to.equal('Name another file with --file.');
  });

  it('says why a stream broke', async () => {
    const stream = new PassThrough();
    stream.destroy(Object.assign(new Error('read EIO'), {errno: -5}));
    const {message} = await failure(() => read(stream));
    expect(message).to.equal('Cannot read the API key from the pipe: i/o error (EIO).');
  });
});

import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {PassThrough} from 'node:stream';
import {expect} from 'chai';
import {readAll, readUserText} from '../../src/terminal/user-text.js';
import {failure} from '../support/client.js';
import {startChild} from '../support/process/child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const read = (stream: PassThrough) =>
  readAll(() => stream, 'the pipe', {what: 'the API key', hint: 'Use --file.', limit: 8});

describe('reading a text from a stream', () => {
  it('joins all chunks until the end of the stream', async () => {
    const stream = new PassThrough();
    const text = read(stream);
    stream.write('ab');
    stream.write('cd');
    stream.end('efgh');
    expect(await text).to.equal('abcdefgh');
  });

  it('rejects input that is longer than its limit', async () => {
    const stream = new PassThrough();
    stream.end('abcdefghi');
    const {message, hint} = await failure(() => read(stream));
    expect(message).to.equal('Too much data for the API key in the pipe.');
    expect(hint).to.equal('Use --file.');
  });

  it('reports why the stream failed', async () => {
    const stream = new PassThrough();
    stream.destroy(Object.assign(new Error('read EIO'), {errno: -5}));
    const {message} = await failure(() => read(stream));
    expect(message).to.equal('Cannot read the API key from the pipe: i/o error (EIO).');
  });
});

describe('reading a text from standard input', () => {
  afterEach(() => Object.assign(process.stdin, {isTTY: undefined}));

  it('is refused on a terminal, where nobody is asked for it', async () => {
    Object.assign(process.stdin, {isTTY: true});
    const {message} = await failure(() => readUserText({path: '-', what: 'it', hint: ''}));
    expect(message).to.equal('- reads it from a pipe, but standard input is a terminal.');
  });
});

describe('reading a text in another encoding', () => {
  const decoded = (bytes: Buffer) => {
    const stream = new PassThrough();
    stream.end(bytes);
    return readAll(() => stream, 'list.csv', {what: 'the list', hint: ''});
  };

  it('is refused', async () => {
    for (const bytes of [
      Buffer.from('a\nm\u00fcller', 'latin1'),
      Buffer.from('\ufeffa\nb\n', 'utf16le'),
      Buffer.from('a\nb\n', 'utf16le'),
    ]) {
      const {kind, message, hint} = await failure(() => decoded(bytes));
      expect(kind).to.equal('usage');
      expect(message).to.equal('Cannot read the list from list.csv: it is not UTF-8.');
      expect(hint).to.match(/^Save it as text in UTF-8, .*: iconv .* \(or -f UTF-16\)\.$/);
    }
  });

  it('is read without the byte order mark of UTF-8', async () => {
    expect(await decoded(Buffer.from('\ufeffm\u00fcller\n'))).to.equal('m\u00fcller\n');
  });
});

describe('reading a text from a named pipe', () => {
  const at = temporaryDirectory();
  const keyFlag = '--api-key-file';
  // The command rejects a key of two lines before it sends a request, and the error shows that it read them.
  const argv = ['connector', 'list', '--base-url', 'http://127.0.0.1:9', keyFlag];
  const twoLines = 'Error: No API key in PATH: it has several lines.';

  beforeEach(() => void execFileSync('mkfifo', [at('pipe')]));

  it('waits for a process that writes to the pipe later', async () => {
    const {process: child, ended} = startChild([...argv, at('pipe')]);
    await once(child, 'spawn');
    // Opening the pipe for writing blocks until the command opens it for reading.
    await writeFile(at('pipe'), 'two\nlines\n');
    const {code, stderr} = await ended;
    expect(code).to.equal(2);
    expect(stderr).to.include(twoLines.replace('PATH', at('pipe')));
  });
});

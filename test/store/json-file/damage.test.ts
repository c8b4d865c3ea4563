import fs from 'node:fs/promises';
import {expect} from 'chai';
import {flipped, useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, unsyncedFiles, watchedFiles} from '../../support/json-file/watched-files.js';
import {activate, expectKind, listAll, rejection} from '../../support/store/samples.js';

describe('a damaged JSON file store', () => {
  const directory = useStoreDirectory();

  const refuse = async (file: string, line?: number): Promise<void> => {
    const before = await directory.contents();
    const error = expectKind(await rejection(directory.open({files: unsyncedFiles})), 'damaged');
    const place =
      line === undefined ? directory.file(file) : `${directory.file(file)}, line ${line}:`;
    expect(error.message).to.include(place);
    expect(await directory.contents()).to.deep.equal(before);
  };

  it('is refused for one changed bit in any line, naming file and line, and is not modified', async () => {
    await directory.fill();
    for (const [name, text] of Object.entries(await directory.contents())) {
      const bytes = Buffer.from(text, 'latin1');
      let begin = 0;
      for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
        const middle = begin + Math.floor(line.length / 2);
        await fs.writeFile(directory.file(name), flipped(bytes, middle));
        await refuse(name, index + 1);
        begin += line.length + 1;
      }
      await fs.writeFile(directory.file(name), bytes);
    }
    const store = await directory.open();
    expect(await listAll(store, 'acme')).to.have.length(2);
    await store.close();
  });

  it('is refused when a line was removed, duplicated or moved', async () => {
    await directory.fill();
    const name = 'journal-000002.jsonl';
    const text = await fs.readFile(directory.file(name), 'utf8');
    const lines = text.split('\n').slice(0, -1);
    const [first, second, third, ...rest] = lines;
    for (const [changed, line] of [
      [[second, third, ...rest], 1],
      [[first, third, ...rest], 2],
      [[first, second, second, third, ...rest], 3],
      [[first, third, second, ...rest], 2],
    ] as const) {
      await fs.writeFile(directory.file(name), `${changed.join('\n')}\n`);
      await refuse(name, line);
    }
  });

  it('is refused when a snapshot is truncated', async () => {
    await directory.fill();
    const name = 'snapshot-000002.jsonl';
    const bytes = await fs.readFile(directory.file(name));
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (const length of [0, 10, lastLine, lastLine + 3, bytes.length - 1]) {
      await fs.writeFile(directory.file(name), bytes.subarray(0, length));
      await refuse(name);
    }
  });

  it('is refused when a file is missing', async () => {
    await directory.fill();
    for (const name of ['store.json', 'journal-000002.jsonl']) {
      const bytes = await fs.readFile(directory.file(name));
      await fs.unlink(directory.file(name));
      await refuse(name);
      await fs.writeFile(directory.file(name), bytes);
    }
    // Without the snapshot, the first segments of the journal are missing.
    await fs.unlink(directory.file('snapshot-000002.jsonl'));
    await refuse('journal-000001.jsonl');
  });

  it('is refused when a segment in the middle is missing or truncated', async () => {
    const failing = watchedFiles(({name, file}) => {
      if (name === 'open' && file.startsWith('snapshot')) throw systemError('ENOSPC');
    });
    const store = await directory.open();
    await activate(store);
    await store.close();
    // Each compaction starts a new segment, even when its snapshot fails.
    for (let count = 0; count < 2; count += 1) {
      expect(await rejection(directory.compact({files: failing}))).to.be.instanceOf(Error);
      const again = await directory.open();
      await activate(again);
      await again.close();
    }
    expect(Object.keys(await directory.contents())).to.include('journal-000003.jsonl');
    const middle = 'journal-000002.jsonl';
    const bytes = await fs.readFile(directory.file(middle));
    await fs.writeFile(directory.file(middle), bytes.subarray(0, -1));
    await refuse(middle);
    await fs.writeFile(directory.file(middle), '');
    await refuse('journal-000003.jsonl', 1);
    await fs.unlink(directory.file(middle));
    await refuse(middle);
    await fs.writeFile(directory.file(middle), bytes);
    const last = await directory.open();
    expect(await listAll(last, 'acme')).to.have.length(3);
    await last.close();
  });
});

import fs from 'node:fs/promises';
import {expect} from 'chai';
import {flipped, useStoreDirectory} from '../../support/json-file/fixture.js';
import {unsyncedFiles} from '../../support/json-file/watched-files.js';
import {expectKind, listAll, rejection} from '../../support/store/samples.js';

describe('a damaged JSON file store', () => {
  const directory = useStoreDirectory();
  const name = 'store.jsonl';

  const refuse = async (line: number): Promise<void> => {
    const before = await directory.contents();
    const error = expectKind(await rejection(directory.open({files: unsyncedFiles})), 'damaged');
    expect(error.message).to.include(`${directory.file(name)}, line ${line}:`);
    expect(await directory.contents()).to.deep.equal(before);
  };

  it('is refused for one changed bit in any line, naming the line, and is not modified', async () => {
    await directory.fill();
    const bytes = await fs.readFile(directory.file(name));
    let begin = 0;
    for (const [index, line] of bytes.toString('latin1').split('\n').slice(0, -1).entries()) {
      for (const at of [begin, begin + Math.floor(line.length / 2), begin + line.length - 1]) {
        await fs.writeFile(directory.file(name), flipped(bytes, at));
        await refuse(index + 1);
      }
      begin += line.length + 1;
    }
    await fs.writeFile(directory.file(name), bytes);
    const store = await directory.open();
    expect(await listAll(store, 'acme')).to.have.length(2);
    await store.close();
  });

  it('is refused for a changed newline, also the last one', async () => {
    await directory.fill();
    const bytes = await fs.readFile(directory.file(name));
    let line = 0;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
      line += 1;
      await fs.writeFile(directory.file(name), flipped(bytes, at));
      await refuse(line);
    }
  });

  it('is refused when the first line is cut, and the whole file with it', async () => {
    await directory.fill();
    const bytes = await fs.readFile(directory.file(name));
    const firstLine = bytes.indexOf(10);
    for (const length of [0, 10, firstLine]) {
      await fs.writeFile(directory.file(name), bytes.subarray(0, length));
      await refuse(1);
    }
  });
});

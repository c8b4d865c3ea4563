import fs from 'node:fs/promises';
import {expect} from 'chai';
import {checkStore} from '../../../src/admin/check.js';
import {timestamp} from '../../../src/domain/timestamp.js';
import {formatVersion} from '../../../src/store/json-file/read.js';
import type {Files} from '../../../src/system/durable-file.js';
import {failure} from '../../support/client.js';
import {flipped, useStoreDirectory} from '../../support/json-file/fixture.js';
import {watchedFiles} from '../../support/json-file/watched-files.js';
import {
  activate,
  expectKind,
  listAll,
  minute,
  rejection,
  sampleApiKey,
  start,
} from '../../support/store/samples.js';

describe('checking a JSON file store where it lies', () => {
  const directory = useStoreDirectory();

  const calls = 'handle.close handle.read handle.stat lstat open readdir readFile stat';
  const reading = new Set(calls.split(' '));

  /** File calls that reject unless they only read. */
  const readOnly = watchedFiles(({name, args}) => {
    const writes = name === 'open' && args[1] !== 'r';
    if (writes || !reading.has(name)) throw new Error(`${name} is not for reading`);
  });

  const check = (files: Files = readOnly) => checkStore(directory.path, directory.now, files);

  it('counts what it holds and changes nothing, also while a service uses it', async () => {
    await directory.fill();
    const store = await directory.open();
    await store.createApiKey(sampleApiKey());
    const {id} = await activate(store);
    await activate(store);
    await store.recordHeartbeat(id, start + 2 * minute, {organization: 'acme'});
    const before = [await fs.readdir(directory.path), await directory.contents()];
    const bytes = Object.values(await directory.contents()).join('').length;
    expect(await check()).to.deep.equal({
      store: directory.path,
      version: formatVersion,
      created_at: timestamp(start + minute),
      api_keys: 1,
      tokens: 4,
      connectors: 4,
      latest_heartbeat_at: timestamp(start + 2 * minute),
      bytes,
      unfinished_bytes: 0,
    });
    expect([await fs.readdir(directory.path), await directory.contents()]).to.deep.equal(before);
    await store.close();
  });

  it('leaves out tokens that expired long ago', async () => {
    await directory.fill();
    directory.now += 24 * 60 * minute;
    expect(await check()).to.include({tokens: 0, connectors: 2});
  });

  it('reports an unfinished write at the end without removing it', async () => {
    const store = await directory.open();
    await store.close();
    await fs.appendFile(directory.file('store.jsonl'), '{"crc":"12');
    const before = await directory.contents();
    expect(await check()).to.include({unfinished_bytes: 10, latest_heartbeat_at: null});
    expect(await directory.contents()).to.deep.equal(before);
  });

  it('reports damage as opening does, with file and line', async () => {
    await directory.fill();
    const file = directory.file('store.jsonl');
    await fs.writeFile(file, flipped(await fs.readFile(file), 200));
    const opening = expectKind(await rejection(directory.open()), 'damaged');
    const {message, reason} = await failure(check);
    expect(reason).to.equal('store-damaged');
    expect(message).to.equal(opening.message).and.include(file);
  });

  it('reads files of other users and with any mode', async () => {
    await directory.fill();
    for (const name of await fs.readdir(directory.path))
      await fs.chmod(directory.file(name), 0o666);
    await fs.chmod(directory.path, 0o777);
    const foreign = (stats: Awaited<ReturnType<typeof fs.stat>>) =>
      Object.assign(stats, {uid: Number(stats.uid) + 1});
    const files = Object.assign(Object.create(readOnly), {
      lstat: async (target: string) => foreign(await fs.lstat(target)),
      stat: async (target: string) => foreign(await fs.stat(target)),
    });
    expect(await check(files)).to.include({connectors: 2});
  });

  it('refuses a file with records that is a link, as opening does, or a device, which could block it', async () => {
    await directory.fill();
    const file = directory.file('store.jsonl');
    await fs.rename(file, directory.file('elsewhere'));
    await fs.symlink(directory.file('elsewhere'), file);
    expect((await failure(check)).reason).to.equal('store-format');
    expectKind(await rejection(directory.open()), 'format');
  });

  it('reads the file that was there when it began, also while a compaction replaces it', async () => {
    await directory.fill();
    const store = await directory.open();
    let isCompacted = false;
    const compacting = watchedFiles(async ({name}) => {
      if (name !== 'handle.read' || isCompacted) return;
      isCompacted = true;
      await store.compact();
    });
    expect(await check(compacting)).to.include({connectors: 2});
    expect(isCompacted).to.equal(true);
    expect(await listAll(store, 'acme')).to.have.length(2);
    await store.close();
  });
});

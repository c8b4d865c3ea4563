import {spawnSync} from 'node:child_process';
import {mkdir, rm, writeFile} from 'node:fs/promises';
import {expect} from 'chai';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {type Files, nodeFiles} from '../../../src/system/files.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {
  activate,
  activated,
  expectKind,
  listAll,
  minute,
  rejection,
  sampleAttempt,
  sampleToken,
  start,
} from '../../support/store/samples.js';

const scope = {organization: 'acme'};

/** A disk that can be filled and emptied again. */
interface SmallDisk {
  readonly files: Files;
  fill(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

/** Where the tests may not mount a file system, both use the simulated disk. */
const disks: Record<string, (directory: string) => Promise<SmallDisk>> = {
  simulated: async () => simulateSmallDisk(),
  'a file system of 2 MiB, if it can be mounted': async (directory) =>
    (await mountSmallDisk(directory)) ?? simulateSmallDisk(),
};

for (const [name, makeDisk] of Object.entries(disks)) {
  describe(`a JSON file store on a full disk: ${name}`, () => {
    let disk: SmallDisk;
    let store: JsonFileStore;

    // Registered before the hooks of the directory, which cannot remove a mount point.
    afterEach(async () => {
      await store.close().catch(() => {});
      await disk.remove();
    });

    const directory = useStoreDirectory();

    beforeEach(async () => {
      disk = await makeDisk(directory.path);
      store = await directory.open({files: disk.files});
    });

    /** Sends heartbeats until one is refused. @returns the time of the last recorded one */
    const sendUntilFull = async (id: string): Promise<number> => {
      for (let at = start + minute; ; at += 1) {
        const heartbeat = store.recordHeartbeat(id, at, scope);
        const error = await heartbeat.then(
          () => undefined,
          (failure: unknown) => failure,
        );
        if (error === undefined) continue;
        expectKind(error, 'full');
        return at - 1;
      }
    };

    it('refuses writes, serves reads, and accepts writes again when there is room', async () => {
      const connector = await activate(store);
      const token = sampleToken();
      await store.createToken(token);
      await disk.fill();
      const lastHeartbeatAt = await sendUntilFull(connector.id);
      const recorded = lastHeartbeatAt < start + minute ? null : lastHeartbeatAt;
      const attempt = sampleAttempt(token, {connector: {name: 'x'.repeat(5000)}});
      expectKind(await rejection(store.redeemToken(attempt)), 'full');
      expectKind(
        await rejection(store.createToken(sampleToken({description: 'x'.repeat(5000)}))),
        'full',
      );
      const there = [{...connector, lastHeartbeatAt: recorded}];
      expect(await listAll(store, 'acme')).to.deep.equal(there);

      await disk.empty();
      await store.check();
      expect((await store.redeemToken(attempt)).outcome).to.equal('redeemed');
      store = await directory.reopen(store, {files: disk.files});
      expect(directory.log.filter(({message}) => message.includes('cut'))).to.deep.equal([]);
      expect(await listAll(store, 'acme')).to.deep.equal([...there, activated(attempt)]);
    });

    it('can be closed, which releases its lock', async () => {
      await activate(store);
      await disk.fill();
      await store.close();
      await disk.empty();
      store = await directory.open({files: disk.files});
      expect(await listAll(store, 'acme')).to.have.length(1);
    });

    it('keeps its files when a compaction finds no room, and compacts them later', async () => {
      await activate(store);
      const before = await directory.contents();
      await disk.fill();
      expectKind(await rejection(store.compact()), 'full');
      await disk.empty();
      expect(await directory.contents()).to.deep.equal(before);
      await store.compact();
      await activate(store);
      store = await directory.reopen(store, {files: disk.files});
      expect(await listAll(store, 'acme')).to.have.length(2);
    });
  });
}

/** Mounts a small file system on a directory; undefined if mounting is not allowed. */
async function mountSmallDisk(directory: string): Promise<SmallDisk | undefined> {
  await mkdir(directory, {recursive: true});
  const options = ['-t', 'tmpfs', '-o', 'size=2m,mode=0700', 'tmpfs', directory];
  if (spawnSync('mount', options).status !== 0) return undefined;
  const filler = `${directory}/room.tmp.filler`;
  return {
    files: nodeFiles,
    fill: async () => {
      await writeFile(filler, Buffer.alloc(4 * 1024 * 1024)).catch(() => {});
    },
    empty: () => rm(filler),
    remove: async () => {
      spawnSync('umount', ['-l', directory]);
    },
  };
}

/** Simulates a small disk with file calls that fail as on a full disk: a write stops after half of its bytes. */
function simulateSmallDisk(): SmallDisk {
  let full = false;
  const files = watchedFiles(async ({name, args, handle}) => {
    if (!full) return;
    if (name === 'handle.write') {
      const [bytes, offset, length, position] = args as [Buffer, number, number, number];
      await handle?.write(bytes, offset, Math.floor(length / 2), position);
      throw systemError('ENOSPC');
    }
    const creates = name === 'open' && args[1] !== 'r';
    if (creates || name === 'handle.writeFile') throw systemError('ENOSPC');
  });
  return {
    files,
    fill: async () => {
      full = true;
    },
    empty: async () => {
      full = false;
    },
    remove: async () => {},
  };
}

import {constants} from 'node:fs';
import fs from 'node:fs/promises';
import {expect} from 'chai';
import {openJsonFileStore} from '../../../src/store/json-file/open.js';
import {type Line, State} from '../../../src/store/json-file/state.js';
import type {JsonFileStore} from '../../../src/store/json-file/store.js';
import {Writer} from '../../../src/store/json-file/writer.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {durableCall, systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
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

describe('a write of the JSON file store', () => {
  const directory = useStoreDirectory();
  let store: JsonFileStore;

  it('is synced to disk before it resolves, in one write and one sync with simultaneous changes', async () => {
    const calls: string[] = [];
    let opened = 0;
    const files = watchedFiles(({name, file, args}) => {
      calls.push(name);
      if (name === 'open' && file === 'store.jsonl') opened = Number(args[1]);
    });
    store = await directory.open({files});
    const {id} = await activate(store);
    calls.length = 0;
    const times = Array.from({length: 64}, (_, index) => start + minute + index);
    await Promise.all(times.map((at) => store.recordHeartbeat(id, at, scope)));
    // The lock is checked before the write and after the sync, which O_DSYNC makes a part of the write (open(2)).
    const sync = (opened & constants.O_DSYNC) === 0 ? ['handle.datasync'] : [];
    expect(calls).to.deep.equal(['stat', 'handle.write', ...sync, 'stat']);
    const text = await fs.readFile(directory.file('store.jsonl'), 'utf8');
    expect(text.endsWith(`"heartbeats":[["${id}",${times.at(-1)}]]}\n`)).to.equal(true);
  });

  it('is synced again for one that arrives during the sync of others', async () => {
    const order: string[] = [];
    let during = (): void => {};
    const files = watchedFiles(({name}) => {
      if (name !== durableCall) return;
      order.push('sync');
      during();
    });
    store = await directory.open({files});
    const first = (await activate(store)).id;
    const second = (await activate(store)).id;
    order.length = 0;
    const at = start + minute;
    const resolved = (name: string) => () => void order.push(name);
    const late = new Promise<void>((resolve, reject) => {
      during = () => {
        during = () => {};
        const heartbeat = store.recordHeartbeat(second, at, scope);
        heartbeat.then(resolved('second')).then(resolve, reject);
      };
    });
    await store.recordHeartbeat(first, at, scope).then(resolved('first'));
    await late;
    expect(order).to.deep.equal(['sync', 'first', 'sync', 'second']);
  });

  it('waits under load until 16 changes are there, or four milliseconds have passed', async () => {
    const lines: Line[] = [];
    const timers: (() => void)[] = [];
    let finish = (): void => {};
    const unused = async (): Promise<void> => {};
    const append = (line: Line) => {
      lines.push(line);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    const disk = {
      append,
      applied() {},
      length: 0,
      verifyLock: unused,
      compact: unused,
      close: unused,
    };
    const writer = new Writer(new State(), undefined, disk, () => start);
    const change = (count: number) =>
      Array.from({length: count}, () => writer.write((tx) => tx.write({tokens: [sampleToken()]})));
    const nextTurns = async () => {
      for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
    };
    const {now} = performance;
    const {setTimeout} = globalThis;
    performance.now = () => 0;
    globalThis.setTimeout = ((end: () => void) =>
      void timers.push(end)) as unknown as typeof setTimeout;
    try {
      const changes = change(1);
      await nextTurns();
      changes.push(...change(15));
      finish();
      await nextTurns();
      expect(lines).to.have.length(1);
      changes.push(...change(1));
      await nextTurns();
      changes.push(...change(1));
      finish();
      await nextTurns();
      expect(lines).to.have.length(2);
      timers.at(-1)?.();
      await nextTurns();
      finish();
      await Promise.all(changes);
    } finally {
      performance.now = now;
      globalThis.setTimeout = setTimeout;
    }
    expect(lines.map(({tokens}) => tokens?.length)).to.deep.equal([1, 16, 1]);
  });

  describe('when a sync fails', () => {
    it('refuses all writes until the next start, and still serves reads', async () => {
      let failing = false;
      const calls: string[] = [];
      const files = watchedFiles(async ({name, file, args, handle}) => {
        if (!file.startsWith('store.lock')) calls.push(name);
        if (!failing || name !== durableCall) return;
        // A durable write fails after its bytes are in the system's cache.
        if (name === 'handle.write') await handle?.write(...(args as [Buffer]));
        throw systemError('EIO');
      });
      store = await directory.open({files});
      const before = await activate(store);
      const token = sampleToken();
      await store.createToken(token);

      failing = true;
      const error = await rejection(store.redeemToken(sampleAttempt(token)));
      expect(expectKind(error, 'unavailable').message).to.include('refuses further writes');
      failing = false;
      calls.length = 0;
      const refused = [
        store.recordHeartbeat(before.id, start + 1, scope),
        store.redeemToken(sampleAttempt(token)),
        store.check(),
      ];
      for (const error of await Promise.all(refused.map(rejection))) {
        expectKind(error, 'unavailable');
      }
      expect(calls).to.deep.equal([]);
      expect(await listAll(store, 'acme')).to.deep.equal([before]);

      store = await directory.reopen(store);
      expect(await listAll(store, 'acme')).to.deep.equal([before]);
      expect((await store.redeemToken(sampleAttempt(token))).outcome).to.equal('redeemed');
    });

    it('of the directory after a compaction, refuses all writes until the next start', async () => {
      let failing = false;
      const files = watchedFiles(({name}) => {
        if (failing && name === 'handle.sync') throw systemError('EIO');
      });
      store = await directory.open({files});
      failing = true;
      expectKind(await rejection(store.compact()), 'unavailable');
      failing = false;
      expectKind(await rejection(activate(store)), 'unavailable');
      store = await directory.reopen(store);
      await activate(store);
    });
  });

  describe('cut at any byte of its last lines', () => {
    const journal = 'store.jsonl';
    let log: RecordedLog;

    const openOn = (disk: SimulatedDisk): Promise<JsonFileStore> => {
      log = new RecordedLog();
      return openJsonFileStore(
        disk.directory,
        {log, now: () => start + 2 * minute},
        {files: disk.files},
      );
    };

    /** A store whose last two lines are an activation and a heartbeat, and where they begin. */
    const makeStore = async () => {
      const disk = new SimulatedDisk('/store');
      const made = await openOn(disk);
      const length = (): number => disk.content(journal).length;
      const first = await activate(made);
      const token = sampleToken();
      await made.createToken(token);
      const ends = [length()];
      const attempt = sampleAttempt(token);
      await made.redeemToken(attempt);
      ends.push(length());
      await made.recordHeartbeat(attempt.connector.id, start + 2 * minute, scope);
      ends.push(length());
      await made.close();
      const last = activated(attempt);
      const alive = {...last, lastHeartbeatAt: start + 2 * minute};
      const states = [[first], [first, last], [first, alive]];
      return {disk, states, ends, whole: disk.content(journal).subarray(0, length())};
    };

    it('drops the torn write, logs it, and continues from there', async () => {
      const {disk, states, ends, whole} = await makeStore();
      for (let length = ends[0]!; length <= ends[2]!; length += 1) {
        const cutDisk = disk.with(journal, whole.subarray(0, length));
        const opened = await openOn(cutDisk);
        const keep = whole.lastIndexOf('\n', length - 1) + 1;
        const expected = states[ends.indexOf(keep)] ?? [];
        expect(await listAll(opened, 'acme'), `cut at ${length}`).to.deep.equal(expected);
        expect(cutDisk.content(journal)).to.have.length(keep);
        const path = `/store/${journal}`;
        expect(log.entries.map(({level, fields}) => ({level, ...fields}))).to.deep.equal(
          keep === length ? [] : [{level: 'warn', path, keep, cut: length - keep}],
        );
        const added = await activate(opened);
        await opened.close();
        const again = await openOn(cutDisk);
        expect(log.entries).to.deep.equal([]);
        expect(await listAll(again, 'acme')).to.deep.equal([...expected, added]);
        await again.close();
      }
    });

    it('accepts NUL bytes where the file system allocated space but wrote nothing', async () => {
      const {disk, states, ends, whole} = await makeStore();
      const [activation = 0, heartbeat = 0, end = 0] = ends;
      const nulTail = Buffer.from(whole.subarray(0, end));
      nulTail.fill(0, heartbeat + 5);
      const nulAhead = Buffer.concat([whole.subarray(0, activation), Buffer.alloc(4096)]);
      // Only the newline is in a sector that was not written.
      const nulEnd = Buffer.from(whole.subarray(0, end));
      nulEnd.fill(0, end - 1);
      for (const [bytes, expected] of [
        [nulTail, states[1]],
        [nulAhead, states[0]],
        [nulEnd, states[1]],
      ] as const) {
        const opened = await openOn(disk.with(journal, bytes));
        expect(await listAll(opened, 'acme')).to.deep.equal(expected);
        expect(log.entries).to.have.length(1);
        await opened.close();
      }
    });

    it('accepts a missing sector in the last line, but not a changed byte', async () => {
      const disk = new SimulatedDisk('/store');
      const made = await openOn(disk);
      const first = await activate(made);
      const lineStart = disk.content(journal).length;
      await made.createToken(sampleToken({description: 'rack 4 '.repeat(300)}));
      const whole = disk.content(journal);
      await made.close();
      const sector = Math.ceil(lineStart / 512) * 512;
      const without = (from: number, to: number): SimulatedDisk =>
        disk.with(journal, Buffer.from(whole).fill(0, from, to));
      for (const [from, to] of [
        [sector, sector + 512],
        [lineStart, sector],
        [sector + 512, sector + 1536],
      ] as const) {
        const opened = await openOn(without(from, to));
        expect(await listAll(opened, 'acme')).to.deep.equal([first]);
        expect(log.entries.map(({fields}) => fields['keep'])).to.deep.equal([lineStart]);
        await opened.close();
      }
      for (const at of [lineStart + 30, sector + 1, sector + 700]) {
        const error = await rejection(openOn(without(at, at + 1)));
        expect(expectKind(error, 'damaged').message).to.include(`/store/${journal}, line `);
      }
    });
  });
});

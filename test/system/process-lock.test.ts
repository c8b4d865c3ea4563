import {execFileSync} from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {copyFile, mkdir} from 'node:fs/promises';
import {hostname} from 'node:os';
import {expect} from 'chai';
import {nodeFiles} from '../../src/system/durable-file.js';
import {LockLostError, ProcessLock} from '../../src/system/process-lock.js';
import {systemError, watchedFiles} from '../support/json-file/watched-files.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {type SkippingClock, skippingClock} from '../support/time/skipping-clock.js';

/** Milliseconds without a keep-alive after which the lock of another machine is taken. */
const silence = 10_000;

class Busy extends Error {}

const giveUp = ({pid, host, label}: {pid: number; host: string; label: string}) => {
  throw new Busy(`${pid} on ${host}: ${label}`);
};

describe('the lock of a process', () => {
  const at = temporaryDirectory();
  const file = () => at('target.json');
  let time: SkippingClock;

  beforeEach(() => {
    time = skippingClock();
  });

  type Request = Partial<Parameters<typeof ProcessLock.acquire>[1]>;
  const acquire = (target = file(), request: Request = {}) =>
    ProcessLock.acquire(target, {label: 'a test', clock: time.clock, wait: giveUp, ...request});

  const refusal = async (promise: Promise<ProcessLock>): Promise<string> => {
    const error = await promise.then(
      async (lock) => lock.release().then(() => 'it was acquired'),
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(Busy);
    return (error as Busy).message;
  };

  /** Writes the lock file of a process of another machine. @returns its path */
  const leaveForeignLock = (changes: object = {}, target = file()): string => {
    const path = `${target}.lock`;
    const owner = {pid: 1, host: 'elsewhere', label: 'another', started: null, boot: 'other'};
    writeFileSync(path, '');
    const {ino: inode} = statSync(path);
    writeFileSync(path, JSON.stringify({...owner, pidNamespace: null, ...changes, inode}));
    return path;
  };

  /** Lets the lock files of this process look like those of one that was killed. */
  const endOwners = (): void => {
    for (const name of readdirSync(at())) {
      const text = readFileSync(at(name), 'utf8').replace(/"started":"\d+"/, '"started":"1"');
      writeFileSync(at(name), text);
    }
  };

  /** Touches a lock file in each second of the waits. @param seconds by the clock of its machine */
  const keepAlive = (path: string, seconds: number): void => {
    let beats = 0;
    time = skippingClock(() => {
      if (time.clock.now() < 1000 * beats) return;
      beats += 1;
      utimesSync(path, seconds + beats, seconds + beats);
    });
  };

  it('is held by one of two, names the owner to the other, and leaves no file', async () => {
    const lock = await acquire();
    expect(await refusal(acquire())).to.equal(`${process.pid} on ${hostname()}: a test`);
    await lock.verifyHeld();
    await lock.release();
    expect(readdirSync(at())).to.deep.equal([]);
    await (await acquire()).release();
  });

  const rivals = {
    'one that keeps the lock': () => acquire(),
    'one that releases it and acquires it again': async () => {
      await (await acquire()).release();
      return acquire();
    },
  };
  for (const [name, start] of Object.entries(rivals)) {
    it(`goes to one of two at any interleaving with ${name}`, async () => {
      for (let step = 1, met = true; met; step += 1) {
        const held: ProcessLock[] = [];
        const attempt = (promise: Promise<ProcessLock>) =>
          promise.then(
            (lock) => held.push(lock),
            (error: unknown) => expect(error).to.be.instanceOf(Busy),
          );
        let count = 0;
        // The rival runs to completion before this step of the first.
        const files = watchedFiles(async () => {
          count += 1;
          if (count === step) await attempt(start());
        });
        await attempt(acquire(file(), {files}));
        met = count >= step;
        expect(held, `before step ${step}`).to.have.length(1);
        await held[0]?.release();
        expect(readdirSync(at()), `before step ${step}`).to.deep.equal([]);
      }
    });
  }

  it('is free at once after the end of its process, even if the pid was reused', async () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const lock = await acquire();
    const [name = ''] = readdirSync(at());
    const self = JSON.parse(readFileSync(at(name), 'utf8'));
    await lock.release();
    for (const ended of [{started: '1'}, {pid: 2 ** 22 + 1}]) {
      leaveForeignLock({...self, boot, ...ended});
      await (await acquire()).release();
      expect(time.waits).to.deep.equal([]);
      expect(readdirSync(at())).to.deep.equal([]);
    }
  });

  it('is refused while a process of another machine keeps it alive, whatever the clock of that says', async () => {
    const path = leaveForeignLock();
    for (const year of [1980, 2100]) {
      keepAlive(path, Date.UTC(year) / 1000);
      expect(await refusal(acquire())).to.equal('1 on elsewhere: another');
    }
    expect(existsSync(path)).to.equal(true);
  });

  it('is refused while another version of connectorctl keeps it alive', async () => {
    const path = leaveForeignLock({label: undefined});
    keepAlive(path, 0);
    expect(await refusal(acquire())).to.match(/ on an unknown host/);
  });

  it('is free once a process of another machine was silent while this one watched', async () => {
    const path = leaveForeignLock();
    for (const year of [1980, 2100]) {
      utimesSync(path, Date.UTC(year) / 1000, Date.UTC(year) / 1000);
      const before = time.clock.now();
      await (await acquire()).release();
      expect(time.clock.now() - before).to.be.at.least(silence);
      expect(readdirSync(at())).to.deep.equal([]);
      leaveForeignLock();
    }
  });

  it('is free after a kill at any moment of its creation, at once if its owner is known, and no file remains', async () => {
    for (let step = 1, met = true; met; step += 1) {
      let count = 0;
      let isKilled = false;
      const files = watchedFiles(({name}) => {
        if (name === 'open' || count > 0) count += 1;
        isKilled ||= count === step;
        if (isKilled && name !== 'handle.close') throw systemError('EIO', 'killed');
      });
      const error = await acquire(file(), {files}).then(
        (lock) => lock.release(),
        (thrown: unknown) => thrown,
      );
      met = isKilled;
      if (error !== undefined) expect(String(error)).to.include('killed');
      const isKnown = readdirSync(at()).every((name) => readFileSync(at(name), 'utf8') !== '');
      endOwners();
      const before = time.clock.now();
      await (await acquire()).release();
      expect(time.clock.now() - before >= silence, `at step ${step}`).to.equal(!isKnown);
      expect(readdirSync(at()), `at step ${step}`).to.deep.equal([]);
    }
  });

  it('does not wait for the other end of a pipe, and follows no link, in place of its file', async () => {
    execFileSync('mkfifo', [`${file()}.lock`]);
    await (await acquire()).release();
    writeFileSync(at('other'), 'mine');
    symlinkSync(at('other'), `${file()}.lock`);
    await (await acquire()).release();
    expect(readFileSync(at('other'), 'utf8')).to.equal('mine');
    expect(readdirSync(at())).to.deep.equal(['other']);
  });

  it('is refused when the lock of a silent owner cannot be removed', async () => {
    const path = leaveForeignLock();
    const files = watchedFiles(({name, file: removed}) => {
      if (name === 'unlink' && path.endsWith(removed)) throw systemError('EPERM');
    });
    const error = await acquire(file(), {files}).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).and.include({code: 'EPERM'});
  });

  it('does not apply to a copy of its directory', async () => {
    await mkdir(at('copy'));
    const lock = await acquire();
    const [name = ''] = readdirSync(at()).filter((entry) => entry.endsWith('.lock'));
    await copyFile(at(name), at('copy', name));
    await (await acquire(at('copy', 'target.json'))).release();
    expect(readdirSync(at('copy'))).to.deep.equal([]);
    await lock.verifyHeld();
    await lock.release();
  });

  it('is given up when its signal aborts', async () => {
    const lock = await acquire();
    const stop = new AbortController();
    const error = await acquire(file(), {wait: () => stop.abort(), signal: stop.signal}).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.equal(stop.signal.reason);
    await lock.release();
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('is lost to one of another machine that watched it while its process was stopped', async () => {
    const stopped = watchedFiles(({name}) => {
      if (name === 'utimes') throw systemError('EIO');
    });
    const lock = await acquire(file(), {files: stopped});
    const readFile = async (path: string, encoding: 'utf8') =>
      path.endsWith('boot_id') ? 'another boot' : nodeFiles.readFile(path, encoding);
    const files = Object.assign(Object.create(nodeFiles), {readFile});
    const other = await acquire(file(), {files});
    expect(time.clock.now()).to.be.at.least(silence);
    const error = await lock.verifyHeld().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(LockLostError);
    await lock.release();
    await other.verifyHeld();
    await other.release();
  });
});

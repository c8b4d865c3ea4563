import {execFileSync} from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {copyFile, mkdir, rm} from 'node:fs/promises';
import {hostname} from 'node:os';
import {expect} from 'chai';
import type {Files} from '../../src/system/files.js';
import {LockLostError, ProcessLock} from '../../src/system/process-lock.js';
import {systemError, watchedFiles} from '../support/json-file/watched-files.js';
import {type SkippingClock, skippingClock} from '../support/skipping-clock.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

/** Milliseconds without a keep-alive after which the lock of another machine is taken. */
const silence = 8000;

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
    const path = `${target}.lock-1-0123456789ab`;
    const owner = {pid: 1, host: 'elsewhere', label: 'another', started: null, boot: 'other'};
    writeFileSync(path, JSON.stringify({...owner, pidNamespace: null, inode: 0, ...changes}));
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

  it('is not in the way of another file', async () => {
    const lock = await acquire();
    await (await acquire(at('other.json'))).release();
    await lock.release();
  });

  it('of a directory is refused while one of its files is locked', async () => {
    const lock = await acquire(file(), {label: 'one file'});
    expect(await refusal(acquire(at(), {scope: 'directory'}))).to.include('one file');
    await lock.release();
    await (await acquire(at(), {scope: 'directory'})).release();
  });

  it('of a file is refused while its directory is locked', async () => {
    const lock = await acquire(at(), {scope: 'directory', label: 'all files'});
    expect(await refusal(acquire())).to.include('all files');
    await lock.release();
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
    expect(await refusal(acquire())).to.match(/^1 on an unknown host/);
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

  it('does not hold a machine that has the same name', async () => {
    leaveForeignLock({pid: 2 ** 22 + 1, host: hostname(), boot: 'another boot'});
    await (await acquire()).release();
    expect(time.clock.now()).to.be.at.least(silence);
  });

  it('is free at once after a kill at any moment of its creation, and no file remains', async () => {
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
      endOwners();
      await (await acquire()).release();
      expect(time.waits, `at step ${step}`).to.deep.equal([]);
      expect(readdirSync(at()), `at step ${step}`).to.deep.equal([]);
    }
  });

  it('is not held by a pipe or a link with the name of a lock, and does not wait for it', async () => {
    execFileSync('mkfifo', [`${file()}.lock-1-aaaaaaaaaaaa`]);
    symlinkSync('/dev/zero', `${file()}.lock-1-bbbbbbbbbbbb`);
    await (await acquire()).release();
    expect(time.waits).to.deep.equal([]);
  });

  it('names the lock of a silent owner that it cannot remove', async () => {
    const path = leaveForeignLock();
    const files = watchedFiles(({name, file: removed}) => {
      if (name === 'unlink' && path.endsWith(removed)) throw systemError('EPERM');
    });
    const error = await acquire(file(), {files}).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).and.include({code: 'EPERM'});
    expect(String(error)).to.include(path);
  });

  it('does not apply to a copy of its directory', async () => {
    await mkdir(at('copy'));
    const lock = await acquire();
    const [name = ''] = readdirSync(at()).filter((entry) => entry.includes('.lock-'));
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

  describe('that is checked', () => {
    const lostBy = async (harm: (path: string) => unknown): Promise<void> => {
      const lock = await acquire();
      const [name = ''] = readdirSync(at());
      await harm(at(name));
      for (let count = 0; count < 2; count += 1) {
        const error = await lock.verifyHeld().catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(LockLostError);
      }
      expect(lock.isFresh).to.equal(false);
      await lock.release();
    };

    it('is lost when its file was removed', () => lostBy((path) => rm(path)));

    it('is lost when its directory was moved', async () => {
      await mkdir(at('inner'));
      const lock = await acquire(at('inner', 'file'));
      renameSync(at('inner'), at('moved'));
      const error = await lock.verifyHeld().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(LockLostError);
      await lock.release();
    });

    it('is lost when a copy took the place of its file, which then stays', async () => {
      let copy = '';
      await lostBy(async (path) => {
        copy = path;
        await copyFile(path, `${path}-copy`);
        await rm(path);
        renameSync(`${path}-copy`, path);
        utimesSync(path, 1, 1);
      });
      expect(existsSync(copy)).to.equal(true);
    });

    it('cannot be relied on after a silence until it is renewed', async () => {
      const lock = await acquire();
      expect(lock.isFresh).to.equal(true);
      time.pass(silence);
      expect(lock.isFresh).to.equal(false);
      await lock.verifyHeld();
      expect(lock.isFresh).to.equal(true);
      await lock.release();
    });

    it('is not lost after a silence to one that still waits', async () => {
      const lock = await acquire();
      const waiting = leaveForeignLock();
      time.pass(silence);
      const renewed = lock.verifyHeld();
      const release = new Promise((resolve) => setImmediate(resolve)).then(() => rm(waiting));
      await Promise.all([renewed, release]);
      expect(lock.isFresh).to.equal(true);
      await lock.release();
    });
  });

  describe('whose process was stopped for long', () => {
    /** Two machines that share the directory. The owner stops, and the other one is about to take its lock. */
    const meet = async (
      onOwnerCall: () => unknown,
      onOtherCall: () => unknown,
      onOwnerPause = () => {},
    ) => {
      let isStopped = false;
      time = skippingClock(onOwnerPause);
      const files = watchedFiles(async () => {
        if (isStopped) throw systemError('EIO');
        await onOwnerCall();
      });
      const owner = await acquire(file(), {files});
      isStopped = true;
      let now = 0;
      let reach = () => {};
      let goOn = () => {};
      const reached = new Promise<void>((resolve) => (reach = resolve));
      const released = new Promise<void>((resolve) => (goOn = resolve));
      const clock = {
        now: () => now,
        wait: async (milliseconds: number) => {
          now += milliseconds;
          if (now < silence) return;
          reach();
          await released;
        },
      };
      const watched = watchedFiles(() => (now < silence ? undefined : onOtherCall()));
      const readFile = async (path: string) =>
        path.endsWith('boot_id') ? 'another boot' : watched.readFile(path, 'utf8');
      const elsewhere = {...watched, readFile} as Files;
      const other = acquire(file(), {files: elsewhere, clock}).catch((error: unknown) => {
        expect(error).to.be.instanceOf(Busy);
        return undefined;
      });
      await reached;
      time.pass(silence);
      isStopped = false;
      return {owner, other, goOn};
    };

    /** @returns which of the two holds the lock; fails unless it is one */
    const holder = async (verified: Promise<void>, other: Promise<ProcessLock | undefined>) => {
      const isLost = await verified.then(
        () => false,
        (error: unknown) => error instanceof LockLostError,
      );
      expect(isLost).to.equal((await other) !== undefined);
      return isLost ? 'other' : 'owner';
    };

    it('is held by one of two at any moment that the other one takes it', async () => {
      const holders = new Set<string>();
      for (let step = 1, met = true; met; step += 1) {
        let count = Number.NEGATIVE_INFINITY;
        const {owner, other, goOn} = await meet(
          async () => {
            count += 1;
            if (count !== step) return;
            goOn();
            await other;
          },
          () => {},
        );
        count = 0;
        const verified = owner.verifyHeld();
        await verified.catch(() => {});
        met = count >= step;
        goOn();
        if (met) holders.add(await holder(verified, other));
        await owner.release();
        await (await other)?.release();
        expect(readdirSync(at()), `before step ${step}`).to.deep.equal([]);
      }
      expect([...holders].sort()).to.deep.equal(['other', 'owner']);
    });

    it('is held by one of two at any moment that its process goes on', async () => {
      const holders = new Set<string>();
      for (let step = 1, met = true; met; step += 1) {
        let count = 0;
        let verified: Promise<void> | undefined;
        let onPause = () => {};
        const paused = new Promise<void>((resolve) => (onPause = resolve));
        const {owner, other, goOn} = await meet(
          () => {},
          async () => {
            count += 1;
            if (count !== step) return;
            verified = owner.verifyHeld();
            await Promise.race([verified.catch(() => {}), paused]);
          },
          () => onPause(),
        );
        goOn();
        await other;
        met = verified !== undefined;
        if (verified !== undefined) holders.add(await holder(verified, other));
        await owner.release();
        await (await other)?.release();
      }
      expect([...holders].sort()).to.deep.equal(['other', 'owner']);
    });
  });
});

import {chownSync, readdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import fs from 'node:fs/promises';
import {basename, dirname} from 'node:path';
import {expect} from 'chai';
import {CredentialsDirectory} from '../../../src/cli/activation/credentials-directory.js';
import {Requests} from '../../../src/cli/activation/fleet/requests.js';
import {activateRow, type RowContext} from '../../../src/cli/activation/fleet/row.js';
import {Place} from '../../../src/cli/activation/place.js';
import {AppError} from '../../../src/errors.js';
import {systemClock} from '../../../src/system/clock.js';
import type {Files} from '../../../src/system/files.js';
import {LockLostError} from '../../../src/system/process-lock.js';
import {savedCredentials} from '../../support/credentials.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {systemError, watchedFiles} from '../../support/json-file/watched-files.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const baseUrl = 'http://127.0.0.1:1';

/** A service that repeats the response to an idempotency key, and uses each token once. */
class RepeatingService {
  /** Idempotency keys, by the token that each used. */
  readonly used = new Map<string, string>();
  #tokens = 0;

  readonly client: RowContext['client'] = {
    createToken: async () => {
      this.#tokens += 1;
      return {token: `token-${this.#tokens}`, expiresAt: undefined, raw: {}} as never;
    },
    activateConnector: async ({token, name, idempotencyKey = ''}) => {
      const earlier = this.used.get(token) ?? idempotencyKey;
      if (earlier !== idempotencyKey) throw new AppError('conflict', 'the token is used');
      this.used.set(token, idempotencyKey);
      const connector = {id: `id-of-${token}`, name};
      return {connector, credential: {field: 'api_key', value: 'key'}, raw: connector} as never;
    },
    // Only after a token has expired.
    listConnectors: () => expect.fail('no token of this service expires'),
  };
}

/** Activates one machine on a disk. */
async function run({client}: RepeatingService, disk: SimulatedDisk): Promise<string> {
  const signal = new AbortController().signal;
  const context: RowContext = {
    client,
    requests: new Requests(0, signal, systemClock),
    baseUrl,
    isStopped: () => false,
  };
  const directory = await CredentialsDirectory.list(disk.directory, {disk: disk.files});
  const place = new Place(`${disk.directory}/a.json`, directory);
  const machine = {line: 2, name: 'a', file: 'a.json', further: []};
  return (await activateRow(context, machine, place)).result;
}

/** A random number from 0 to 1 for each call; the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the files of an activation', () => {
  describe('with credentials', () => {
    /** The file calls of a run that nothing interrupts. */
    const callsOfOneRun = async () => {
      const disk = new SimulatedDisk('/credentials');
      await run(new RepeatingService(), disk);
      return disk.calls;
    };

    /** Runs again after a failure, and expects that one connector has its credentials. */
    const expectOneConnector = async (
      service: RepeatingService,
      disk: SimulatedDisk,
      at: string,
    ): Promise<void> => {
      const result = await run(service, disk);
      expect(result, at).to.be.oneOf(['activated', 'already']);
      expect([...service.used.keys()], at).to.have.length(1);
      const [token = ''] = service.used.keys();
      expect(disk.content('a.json').toString(), at).to.include(`id-of-${token}`);
      expect(await disk.files.readdir('/credentials'), at).to.deep.equal(['a.json']);
    };

    for (const failure of ['kill', 'power failure'] as const) {
      it(`lead to one connector after a ${failure} at any file call`, async () => {
        const calls = await callsOfOneRun();
        for (let call = 1; call <= calls; call += 1) {
          for (let seed = 1; seed <= 5; seed += 1) {
            const service = new RepeatingService();
            const disk = new SimulatedDisk('/credentials');
            disk.failAt(call, randomFrom(seed), failure);
            await run(service, disk).catch(() => undefined);
            await expectOneConnector(service, disk.restart(), `call ${call}, seed ${seed}`);
          }
        }
      });
    }

    it('lead to one connector after a kill and then a power failure, each at any file call', async () => {
      const calls = await callsOfOneRun();
      for (let first = 1; first <= calls; first += 1) {
        for (let second = 1 + (first % 3); second <= calls + 4; second += 3) {
          const service = new RepeatingService();
          const disk = new SimulatedDisk('/credentials');
          disk.failAt(first, randomFrom(first), 'kill');
          await run(service, disk).catch(() => undefined);
          const again = disk.restart();
          again.failAt(second, randomFrom(second), 'power failure');
          await run(service, again).catch(() => undefined);
          await expectOneConnector(service, again.restart(), `calls ${first} and ${second}`);
        }
      }
    });
  });

  it('still hold the credentials after a power failure that follows a successful run', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const disk = new SimulatedDisk('/credentials');
      disk.failAt(Number.POSITIVE_INFINITY, randomFrom(seed));
      await run(new RepeatingService(), disk);
      const after = disk.restart();
      expect(await after.files.readdir('/credentials')).to.deep.equal(['a.json']);
      expect(after.content('a.json').toString()).to.include('id-of-token-1');
    }
  });

  describe('on a disk', () => {
    const at = temporaryDirectory();
    const content = Buffer.from('the credentials\n');
    const reservation = {
      base_url: baseUrl,
      name: 'a',
      token_hash: 'hash',
      idempotency_key: 'key',
      token: 'token',
    };

    /** A file system without hard links, such as exFAT. */
    const withoutLinks: Files = {
      ...fs,
      link: async () => {
        throw systemError('EPERM');
      },
    };

    const directories: CredentialsDirectory[] = [];
    afterEach(async () => {
      for (const directory of directories.splice(0)) await directory.close();
    });
    const placeAt = (
      path: string,
      use: ConstructorParameters<typeof CredentialsDirectory>[1] = {},
    ) => {
      const directory = new CredentialsDirectory(dirname(path), use);
      directories.push(directory);
      return new Place(path, directory);
    };

    it('keep the credentials beside a file that appeared meanwhile, where there are no hard links', async () => {
      const place = placeAt(at('a.json'), {disk: withoutLinks});
      await place.reserve();
      await place.record(reservation);
      writeFileSync(at('a.json'), 'of another program');
      const error = await place.commit(content, false).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error)
        .to.be.instanceOf(AppError)
        .and.have.property('hint')
        .that.includes(`credentials are in ${at('a.json.pending')}`);
      expect(readFileSync(at('a.json'), 'utf8')).to.equal('of another program');
      expect(readFileSync(at('a.json.pending'))).to.deep.equal(content);
    });

    it('are moved to their path where there are no hard links', async () => {
      const place = placeAt(at('a.json'), {disk: withoutLinks});
      await place.reserve();
      await place.record(reservation);
      await place.commit(content, false);
      expect(readdirSync(at())).to.deep.equal(['a.json']);
    });

    it('need no more room on the disk once it is reserved', async () => {
      const place = placeAt(at('a.json'));
      const space = async () => {
        const all = await Promise.all(readdirSync(at()).map((name) => fs.stat(at(name))));
        return {files: all.length, bytes: all.reduce((sum, {size}) => sum + size, 0)};
      };
      await place.reserve();
      const before = await space();
      await place.record(reservation);
      expect(await space()).to.have.property('files', before.files);
      expect((await space()).bytes).to.equal(before.bytes);
      await place.leave();
      expect(readdirSync(at())).to.deep.equal(['a.json.pending']);
    });

    it('leave nothing when nothing is recorded', async () => {
      const place = placeAt(at('a.json'));
      await place.reserve();
      await place.leave();
      expect(readdirSync(at())).to.deep.equal([]);
    });

    it('keep a pending file that another program made meanwhile', async () => {
      const place = placeAt(at('a.json'));
      await place.recover();
      writeFileSync(place.pending, 'notes');
      const error = await place.reserve().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Error);
      expect(readFileSync(place.pending, 'utf8')).to.equal('notes');
    });

    it('count as not begun only when the pending file is empty, blank or cut off', async () => {
      const text = JSON.stringify(reservation, null, 2);
      const partial = ['', ' '.repeat(4096), '\0'.repeat(512), text.slice(0, 7), text.slice(0, -9)];
      for (const content of [...partial, `${text.slice(0, 30)}\0\0   `]) {
        writeFileSync(at('a.json.pending'), content);
        const {pending} = await placeAt(at('a.json')).recover();
        expect(pending.kind, content).to.equal('absent');
        expect(readdirSync(at()), content).to.deep.equal([]);
      }
      for (const content of ['notes', '{}', '{"base_url":"a","future":1}', '{"name": "x']) {
        writeFileSync(at('a.json.pending'), content);
        const {pending} = await placeAt(at('a.json')).recover();
        expect(pending.kind, content).to.equal('other');
        expect(readFileSync(at('a.json.pending'), 'utf8')).to.equal(content);
      }
    });

    it('are left unchanged once the lock is lost', async () => {
      const steps = [
        (place: Place) => place.recover(),
        (place: Place) => place.reserve(),
        (place: Place) => place.record(reservation),
        (place: Place) => place.requireHeld(),
        (place: Place) => place.commit(content, false),
      ];
      for (const [lostAt] of steps.entries()) {
        const state = {isLost: false};
        const requireHeld = async () => {
          if (state.isLost) throw new LockLostError('the lock is gone');
        };
        const path = at(`${lostAt}.json`);
        const place = placeAt(path, {lock: {requireHeld}});
        for (const step of steps.slice(0, lostAt)) await step(place);
        state.isLost = true;
        const before = readdirSync(at());
        const error = await steps[lostAt]?.(place).catch((thrown: unknown) => thrown);
        await place.release();
        expect(error, `step ${lostAt}`).to.be.instanceOf(LockLostError);
        expect(readdirSync(at()), `step ${lostAt}`).to.deep.equal(before);
      }
    });

    it('are not replaced by the draft of another run', async () => {
      const place = placeAt(at('a.json'));
      await place.reserve();
      await place.record(reservation);
      const draft = at('a.json.pending-draft');
      renameSync(draft, at('moved'));
      writeFileSync(draft, 'of another run');
      const error = await place.commit(content, false).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(LockLostError);
      expect(readFileSync(draft, 'utf8')).to.equal('of another run');
      expect(JSON.parse(readFileSync(place.pending, 'utf8'))).to.deep.equal(reservation);
    });

    it('are said to be in place when only the last sync of the directory fails', async () => {
      let isFailing = false;
      const link: typeof fs.link = async (from, to) => {
        await fs.link(from, to);
        isFailing = true;
      };
      const failing = watchedFiles(({name, file}) => {
        if (isFailing && name === 'handle.sync' && file === basename(at()))
          throw systemError('EIO');
      });
      const disk = {...failing, link};
      const place = placeAt(at('a.json'), {disk});
      await place.reserve();
      await place.record(reservation);
      const error = await place.commit(content, false).catch((thrown: unknown) => thrown);
      expect(error)
        .to.have.property('hint')
        .that.includes(`credentials are in ${at('a.json')}.`);
      expect(readFileSync(at('a.json'))).to.deep.equal(content);
    });

    it('are readable only by their owner at any moment', async () => {
      const place = placeAt(at('a.json'));
      const modes = async () =>
        Promise.all(
          readdirSync(at()).map(async (name) =>
            ((await fs.stat(at(name))).mode & 0o777).toString(8),
          ),
        );
      await place.reserve();
      expect(await modes()).to.deep.equal(['600', '600']);
      await place.record(reservation);
      expect(await modes()).to.deep.equal(['600', '600']);
      await place.commit(content, false);
      expect(await modes()).to.deep.equal(['600']);
    });

    it('are finished from a complete draft without another request', async () => {
      const credentials = savedCredentials({token_hash: 'hash'});
      writeFileSync(at('a.json.pending'), JSON.stringify(reservation));
      writeFileSync(at('a.json.pending-draft'), JSON.stringify(credentials));
      const {pending} = await placeAt(at('a.json')).recover();
      expect(pending).to.deep.equal({kind: 'credentials', credentials});
      expect(readdirSync(at())).to.deep.equal(['a.json.pending']);
    });

    it('lose a draft that is incomplete, or of another activation', async () => {
      const other = savedCredentials({token_hash: 'other'});
      for (const draft of [' '.repeat(1024), JSON.stringify(other)]) {
        writeFileSync(at('a.json.pending'), JSON.stringify(reservation));
        writeFileSync(at('a.json.pending-draft'), draft);
        const {pending} = await placeAt(at('a.json')).recover();
        expect(pending).to.deep.equal({kind: 'reservation', reservation});
        expect(readdirSync(at())).to.deep.equal(['a.json.pending']);
      }
    });

    it('are not used when another user put them there', async function () {
      if (process.geteuid?.() !== 0) this.skip();
      writeFileSync(at('a.json.pending'), JSON.stringify(reservation));
      chownSync(at('a.json.pending'), 12_345, 12_345);
      const {pending} = await placeAt(at('a.json')).recover();
      const reason = 'it belongs to another user (uid 12345)';
      expect(pending).to.deep.equal({kind: 'unusable', reason});
    });

    it('say why nothing can be reserved', async () => {
      const place = placeAt(at('none', 'below', 'a.json'));
      const error = await place.reserve().catch((thrown: unknown) => thrown);
      expect(error).to.have.nested.property('error.message').that.includes('Nothing was sent.');
    });

    it('are looked at without an error while another run removes one of them', async () => {
      for (let call = 1, met = true; met; call += 1) {
        const path = at(`${call}.json`);
        writeFileSync(`${path}.pending`, '{}');
        let count = 0;
        const disk = watchedFiles(async () => {
          count += 1;
          if (count === call) await fs.rm(`${path}.pending`);
        });
        const place = placeAt(path, {disk});
        const {pending} = await place.inspect();
        met = count >= call;
        expect(pending.kind, `removed before call ${call}`).to.be.oneOf(['absent', 'other']);
      }
    });
  });
});

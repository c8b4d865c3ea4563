import {chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import fs from 'node:fs/promises';
import {expect} from 'chai';
import {activateInto, activateLocked} from '../../../src/connector/activate/activate.js';
import type {Force} from '../../../src/connector/activate/plan.js';
import {CredentialsFiles} from '../../../src/connector/credentials/files.js';
import {hashSecret} from '../../../src/domain/secret.js';
import {AppError, type AppErrorOptions, type ErrorKind} from '../../../src/errors.js';
import type {Files} from '../../../src/system/durable-file.js';
import {savedCredentials} from '../../support/command/credentials.js';
import {SimulatedDisk} from '../../support/json-file/simulated-disk.js';
import {systemError} from '../../support/json-file/watched-files.js';
import {fakeIo} from '../../support/process/io.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const baseUrl = 'http://127.0.0.1:1';

/** A service that uses each token once, and repeats its response to the same idempotency key unless told otherwise. */
class RepeatingService {
  /** Idempotency keys, by the token that each used. */
  readonly used = new Map<string, string>();
  requests = 0;
  #tokens = 0;
  #failure: AppError | undefined;
  readonly #repeats: boolean;

  constructor({repeats = true} = {}) {
    this.#repeats = repeats;
  }

  /** The next request fails; with a lost response it is carried out nevertheless. */
  fail(kind: ErrorKind, options: AppErrorOptions = {}): void {
    this.#failure = new AppError(kind, 'the service failed', options);
  }

  readonly createToken = () => {
    this.#tokens += 1;
    return `token-${this.#tokens}`;
  };

  readonly client = {
    activateConnector: async (request: {token: string; name: string; idempotencyKey?: string}) => {
      const {token, name, idempotencyKey = ''} = request;
      this.requests += 1;
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure !== undefined && !failure.outcomeUnknown) throw failure;
      const earlier = this.used.get(token);
      const isRepeated = earlier !== undefined && this.#repeats && earlier === idempotencyKey;
      if (earlier !== undefined && !isRepeated) throw new AppError('conflict', 'the token is used');
      this.used.set(token, idempotencyKey);
      if (failure !== undefined) throw failure;
      const connector = {id: `id-of-${token}`, name};
      return {connector, credential: {field: 'api_key', value: 'key'}, raw: connector} as never;
    },
  };
}

const activationAt = (
  files: CredentialsFiles,
  service: RepeatingService,
  force?: Force,
): Parameters<typeof activateInto>[0] => ({
  files,
  client: service.client,
  baseUrl,
  label: 'a',
  begin: async () => ({token: service.createToken(), name: 'a'}),
  force: force && (async () => force),
  signal: new AbortController().signal,
  io: fakeIo(),
});

/** A random number from 0 to 1 for each call; the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

describe('an activation into a file', () => {
  describe('on a disk that may lose what is not synced', () => {
    const run = (service: RepeatingService, disk: SimulatedDisk) =>
      activateLocked(
        activationAt(new CredentialsFiles(`${disk.directory}/a.json`, disk.files), service),
      );

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
      await run(service, disk);
      expect([...service.used.keys()], at).to.have.length(1);
      const [token = ''] = service.used.keys();
      expect(disk.content('a.json').toString(), at).to.include(`id-of-${token}`);
      expect(await disk.files.readdir('/credentials'), at).to.deep.equal(['a.json']);
    };

    for (const failure of ['kill', 'power failure'] as const) {
      it(`leads to one connector after a ${failure} at any file call, and leaves nothing else`, async () => {
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

    it('leads to one connector after a kill and then a power failure, each at any file call', async () => {
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

    it('still has the credentials after a power failure that follows a successful run', async () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const disk = new SimulatedDisk('/credentials');
        disk.failAt(Number.POSITIVE_INFINITY, randomFrom(seed));
        await run(new RepeatingService(), disk);
        const after = disk.restart();
        expect(after.content('a.json').toString()).to.include('id-of-token-1');
      }
    });
  });

  const at = temporaryDirectory();
  const path = () => at('a.json');
  const read = (name: string) => JSON.parse(readFileSync(at(name), 'utf8'));
  const attempt = async (
    service: RepeatingService,
    {disk = fs, force}: {disk?: Files; force?: Force} = {},
  ) => {
    try {
      return await activateInto(activationAt(new CredentialsFiles(path(), disk), service, force));
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };

  /** By what happens to the first request: whether the pending file stays, and what the next run does. */
  const events: readonly (readonly [
    event: string,
    error: readonly [ErrorKind, AppErrorOptions],
    isKept: boolean,
  ])[] = [
    ['is refused with 400', ['usage', {status: 400}], false],
    ['is refused with 401', ['auth', {status: 401}], false],
    ['is refused with 409', ['conflict', {status: 409}], false],
    ['is refused with 410', ['conflict', {status: 410}], false],
    ['reaches no service', ['unavailable', {}], false],
    ['has a response that is lost', ['unavailable', {outcomeUnknown: true}], true],
    [
      'has a response that is lost, and is refused when repeated',
      ['auth', {outcomeUnknown: true}],
      true,
    ],
    ['fails with 500', ['remote', {status: 500}], true],
    ['gets 503 from a gateway', ['unavailable', {status: 503, outcomeUnknown: true}], true],
    ['gets 503 from the service itself', ['unavailable', {status: 503}], false],
    ['gets 429', ['unavailable', {status: 429}], false],
    ['meets a limit', ['remote', {status: 507, reason: 'too-many-connectors'}], false],
    ['has a response that cannot be read', ['protocol', {}], true],
    ['is aborted', ['cancelled', {outcomeUnknown: true}], true],
  ];
  for (const [event, [kind, options], isKept] of events) {
    it(`${isKept ? 'is finished by the next run' : 'begins again in the next run'} when its first request ${event}`, async () => {
      const service = new RepeatingService();
      service.fail(kind, options);
      const error = await attempt(service);
      expect(error).to.include({kind, outcomeUnknown: isKept});
      expect(readdirSync(at())).to.deep.equal(isKept ? ['a.json.pending'] : []);
      if (isKept) {
        const {token, idempotency_key: key} = read('a.json.pending');
        expect(token).to.equal('token-1');
        expect(error).to.have.property('hint').that.includes('run the same command again');
        await attempt(service);
        expect([...service.used]).to.deep.equal([[token, key]]);
      } else {
        await attempt(service);
        expect([...service.used.keys()]).to.deep.equal(['token-2']);
      }
      expect(read('a.json')).to.include({name: 'a', api_key: 'key'});
      expect(readdirSync(at())).to.deep.equal(['a.json']);
    });
  }

  it('stays unfinished when a request that may have been sent is refused, whatever the status', async () => {
    const service = new RepeatingService();
    service.fail('unavailable', {outcomeUnknown: true});
    await attempt(service);
    for (const kind of ['usage', 'auth', 'conflict', 'not_found', 'unavailable'] as const) {
      service.fail(kind);
      expect(await attempt(service)).to.include({kind, outcomeUnknown: true});
      expect(readdirSync(at())).to.deep.equal(['a.json.pending']);
    }
    expect(await attempt(service)).to.have.property('isNew', true);
  });

  it('says that the response is lost at a service that repeats none, and activates nothing else', async () => {
    const service = new RepeatingService({repeats: false});
    service.fail('unavailable', {outcomeUnknown: true});
    await attempt(service);
    for (let run = 0; run < 2; run += 1) {
      const error = await attempt(service);
      expect(error).to.include({
        kind: 'conflict',
        message: `The response to the activation in ${path()}.pending is lost: the token is used`,
      });
      expect(error).to.have.property('hint').that.includes(`remove ${path()}.pending`);
    }
    expect(service.used.size).to.equal(1);
  });

  it('begins again where the caller knows that the unfinished one never happened', async () => {
    const service = new RepeatingService();
    service.fail('remote');
    await attempt(service);
    service.fail('conflict', {status: 410});
    const activation = activationAt(new CredentialsFiles(path()), service);
    const neverHappened = async (error: AppError, name: string) =>
      error.status === 410 && name === 'a';
    await activateInto({...activation, neverHappened});
    expect([...service.used.keys()]).to.deep.equal(['token-2']);
    expect(readdirSync(at())).to.deep.equal(['a.json']);
  });

  it('leads to one connector when several run at the same time', async () => {
    const service = new RepeatingService({repeats: false});
    const runs = await Promise.all(Array.from({length: 5}, () => attempt(service)));
    expect(service.requests).to.equal(1);
    expect(runs.filter((run) => 'isNew' in run && run.isNew)).to.have.length(1);
    expect(runs.filter((run) => 'isNew' in run && !run.isNew)).to.have.length(4);
  });

  /** A disk whose files cannot be written from the n-th on. */
  const fullFrom = (first: number): Files => {
    let files = 0;
    const open: typeof fs.open = async (target, flags, mode) => {
      if (
        String(target).endsWith('.tmp') &&
        String(target).includes('.pending') &&
        ++files >= first
      ) {
        throw systemError('ENOSPC');
      }
      return fs.open(target, flags, mode);
    };
    return {...fs, open};
  };

  it('sends nothing on a full disk', async () => {
    const service = new RepeatingService();
    const error = await attempt(service, {disk: fullFrom(1)});
    expect(error)
      .to.have.property('message')
      .that.matches(/ENOSPC.*Nothing was sent\./);
    expect(service.requests).to.equal(0);
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('says on a disk that is full after the request that the same command returns the same credentials, and it does', async () => {
    const service = new RepeatingService();
    const error = await attempt(service, {disk: fullFrom(2)});
    expect(error)
      .to.have.property('hint')
      .that.includes('run the same command again; it returns the same credentials');
    expect(readdirSync(at())).to.deep.equal(['a.json.pending']);
    await attempt(service);
    expect(service.used.size).to.equal(1);
    expect(read('a.json')).to.include({connector_id: 'id-of-token-1'});
  });

  it('keeps the credentials in the pending file when the file cannot be replaced, and places them later', async () => {
    const service = new RepeatingService();
    writeFileSync(path(), 'mine');
    const rename: typeof fs.rename = async (from, to) => {
      if (to === path()) throw systemError('EPERM');
      await fs.rename(from, to);
    };
    const force = {tokenHash: hashSecret('token-1')};
    const disk = {...fs, rename};
    for (let run = 0; run < 2; run += 1) {
      const error = await attempt(service, {disk, force});
      expect(error)
        .to.have.property('hint')
        .that.includes(`its credentials are in ${path()}.pending`);
      expect(readFileSync(path(), 'utf8')).to.equal('mine');
    }
    expect(await attempt(service, {force})).to.have.property('isNew', false);
    expect(read('a.json')).to.include({connector_id: 'id-of-token-1'});
    expect(readdirSync(at())).to.deep.equal(['a.json']);
    expect(service.requests).to.equal(1);
  });

  it('never replaces a file that another program created meanwhile', async () => {
    const service = new RepeatingService();
    const activation = activationAt(new CredentialsFiles(path()), service);
    const begin = async () => {
      writeFileSync(path(), 'of another program');
      return {token: 'token-1', name: 'a'};
    };
    const error = await activateInto({...activation, begin}).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('hint').that.includes(`credentials are in ${path()}.pending`);
    expect(readFileSync(path(), 'utf8')).to.equal('of another program');
    expect(read('a.json.pending')).to.include({api_key: 'key'});
  });

  it('leaves files that only their owner can read, at any moment', async () => {
    const modes = () =>
      readdirSync(at()).map((name) => (statSync(at(name)).mode & 0o077).toString(8));
    const seen: string[] = [];
    const rename: typeof fs.rename = async (from, to) => {
      seen.push(...modes());
      await fs.rename(from, to);
      seen.push(...modes());
    };
    await attempt(new RepeatingService(), {disk: {...fs, rename}});
    expect(new Set(seen)).to.deep.equal(new Set(['0']));
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
  });

  /** Replaces a file, after an activation that was refused and left it alone. */
  const replaceFile = async (content: string) => {
    writeFileSync(path(), content);
    chmodSync(path(), 0o640);
    if (process.geteuid?.() === 0) chownSync(path(), 12_345, 12_346);
    const {uid, gid, mode} = statSync(path());
    const service = new RepeatingService();
    service.fail('conflict', {status: 410});
    await attempt(service, {force: {tokenHash: hashSecret('token-1')}});
    expect(readFileSync(path(), 'utf8')).to.equal(content);
    await attempt(service, {force: {tokenHash: hashSecret('token-2')}});
    expect(read('a.json')).to.include({connector_id: 'id-of-token-2'});
    return {uid, gid, mode};
  };

  it('keeps the owner and the mode of the credentials that it replaces', async () => {
    const before = await replaceFile(JSON.stringify(savedCredentials()));
    expect(statSync(path())).to.include(before);
  });

  it('keeps the owner of another file that it replaces, and lets nobody else read it', async () => {
    const {uid, gid} = await replaceFile('mine');
    expect(statSync(path())).to.include({uid, gid, mode: 0o100_600});
  });

  it('does not use a pending file that another user put there', async function () {
    if (process.geteuid?.() !== 0) this.skip();
    const planted = {base_url: baseUrl, name: 'a', token: 't', idempotency_key: 'k'};
    writeFileSync(at('a.json.pending'), JSON.stringify(planted), {mode: 0o600});
    chownSync(at('a.json.pending'), 12_345, 12_345);
    const service = new RepeatingService();
    expect(await attempt(service))
      .to.have.property('message')
      .that.includes('a.json.pending cannot be used: it belongs to another user (uid 12345)');
    expect(service.requests).to.equal(0);
  });
});

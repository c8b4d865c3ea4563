import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';

const watch = join(root, 'test/support/preload/watch-compiled.cjs');
const runFile = promisify(execFile);

/** For each file, whether Node accepted its cached code (true), rejected it (false) or found none. */
interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly compiled: Readonly<Record<string, string>>;
}

const nothing: readonly string[] = [];

describe('starting the bundle', () => {
  const path = temporaryDirectory();
  const home = () => path('home');
  const directory = () => path('home', '.cache', 'connectorctl', 'compiled');
  const files = () => readdirSync(directory()).sort();
  const whole = {'cli.cjs': 'true'};
  const none = {'cli.cjs': 'none'};

  beforeEach(() => mkdirSync(home()));

  const run = async (
    argv: readonly string[],
    {bin = join(root, 'bin', 'run.js'), flags = [] as string[], env = {}, under = nothing} = {},
  ): Promise<Run> => {
    const command = [...under, process.execPath, '--require', watch, ...flags, bin, ...argv];
    const [program = '', ...words] = command;
    const environment = {PATH: process.env['PATH'], HOME: home(), ...env};
    const {code, stdout, stderr} = await runFile(program, words, {env: environment}).then(
      (output) => ({code: 0, ...output}),
      (error) => error,
    );
    const lines = stderr.matchAll(/^compiled (\S+) (\S+)$/gm);
    const entries = [...lines].map(([, file, took]: string[]) => [file, took]);
    return {code, stdout, compiled: Object.fromEntries(entries)};
  };
  const version = (options = {}) => run(['--version'], options);

  it('compiles once, and uses the cached code from then on', async () => {
    expect(await version()).to.deep.include({code: 0, compiled: none});
    expect(await version()).to.deep.include({code: 0, compiled: whole});
    expect(files()).to.have.length(1);
  });

  it('caches for each command the code that a run of it used', async () => {
    await version();
    expect((await run(['--help'])).compiled).to.deep.equal(none);
    expect((await run(['profile', 'list'])).compiled).to.deep.equal(none);
    expect((await run(['profile', 'list', '--json'])).compiled).to.deep.equal(whole);
    expect(files()).to.have.length(3);
  });

  it('caches nothing after a failed run, which has not used all code', async () => {
    expect((await run(['profile', 'use', 'none'])).code).to.equal(2);
    expect(existsSync(directory())).to.equal(false);
  });

  it('caches the code of a command that is killed after a long run', async function () {
    this.timeout(180_000);
    const argv = ['connector', 'run', 'con_1', '--every', '1h'];
    const {url} = await thirdPartyService(json({}));
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'a-key'};
    const bin = join(root, 'bin', 'run.js');
    // With the same options of Node as `run`: the cache depends on them.
    const child = spawn(process.execPath, ['--require', watch, bin, ...argv], {
      env: {PATH: process.env['PATH'], HOME: home(), ...env},
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    const isSaved = () => {
      const names = existsSync(directory()) ? files() : [];
      return ['cli.cjs', 'client.cjs'].every((file) =>
        names.some((name) => name.startsWith(file) && !name.endsWith('.tmp')),
      );
    };
    while (!isSaved()) await sleep(50);
    child.kill('SIGKILL');
    await exited;
    const again = await run(['connector', 'run', 'con_1', '--', 'true'], {env});
    expect(again.compiled).to.include({'cli.cjs': 'true', 'client.cjs': 'true'});
  });

  it('ignores damaged cache files, and replaces them', async () => {
    const {stdout} = await version();
    const [name = ''] = files();
    const file = join(directory(), name);
    const good = readFileSync(file);
    const damages: Record<string, Buffer> = {
      garbage: Buffer.from('garbage!'.repeat(1000)),
      'another version': twice(good, (half) => half.fill(7, 0, 16)),
    };
    for (const [kind, content] of Object.entries(damages)) {
      writeFileSync(file, content);
      expect(await version(), kind).to.deep.include({code: 0, stdout});
      expect(await version(), kind).to.deep.include({code: 0, stdout, compiled: whole});
    }
  });

  it('keeps separate caches for different Node options', async () => {
    await version();
    const flags = ['--no-opt'];
    expect((await version({flags})).compiled).to.deep.equal(none);
    expect((await version({flags})).compiled).to.deep.equal(whole);
    expect((await version()).compiled).to.deep.equal(whole);
    const env = {NODE_OPTIONS: '--max-old-space-size=300'};
    expect((await version({env})).compiled).to.deep.equal(none);
    expect((await version({env})).compiled).to.deep.equal(whole);
    expect(files()).to.have.length(3);
  });

  it('works with the cache switched off', async () => {
    const env = {NODE_DISABLE_COMPILE_CACHE: '1'};
    expect(await version({env})).to.deep.include({code: 0, compiled: none});
    expect(readdirSync(home())).to.deep.equal([]);
  });

  it('leaves no cache file behind when the disk is full', async () => {
    // The file size limit makes writes partial, like a full disk.
    const under = ['sh', '-c', 'ulimit -f 32 && exec "$@"', 'sh'];
    expect(await version({under})).to.deep.include({code: 0, compiled: none});
    expect(files()).to.deep.equal([]);
    expect(await version()).to.deep.include({code: 0, compiled: none});
    expect(await version()).to.deep.include({code: 0, compiled: whole});
  });
});

/** Changes both copies in a cache file in the same way: our check accepts it, V8 rejects it. */
function twice(file: Buffer, change: (half: Buffer) => void): Buffer {
  const length = file.subarray(file.length - 4);
  const half = Buffer.from(file.subarray(0, length.readUInt32LE()));
  change(half);
  return Buffer.concat([half, half, length]);
}

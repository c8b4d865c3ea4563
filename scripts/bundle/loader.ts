import {join} from 'node:path';
import {Script} from 'node:vm';
import {hideSecretArguments} from '../../src/cli/process-title.js';
import {CodeCache, userCacheDirectory} from './code-cache.js';
import {disableDebuggerSignal} from './debugger.js';
import type {ReadBundled} from './stack.js';

/**
 * Loads the bundle, as `require` would, with the code that V8 compiled in an earlier run of the same
 * command. In this file counts every module that is loaded and every line that is compiled: nothing of
 * it is cached.
 */

/** A bundle file that was run. */
interface Loaded {
  readonly module: {readonly exports: unknown};
  readonly script: Script;
  readonly cacheName: string;
  /** Whether a run that succeeded made the data; one that failed did not come to all its functions. */
  readonly cached: 'no' | 'partly' | 'whole';
}

/** After so many seconds V8 has thrown away code that ran once, at the start. */
const longestRun = 60;

const partly = '.partial';

function openCache(): CodeCache | undefined {
  const {env} = process;
  // Node's own names: its compile cache is switched off by the first, spoils coverage by the second.
  if (env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE']) return undefined;
  const directory = userCacheDirectory(env, process.platform);
  return directory === undefined ? undefined : new CodeCache(directory);
}

/** V8 refuses data of another version or other flags; with these in the name they lie side by side. */
function runtimeKey(): string {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').trim();
  let hash = 0;
  for (let index = 0; index < flags.length; index += 1) {
    hash = (Math.imul(hash, 31) + flags.charCodeAt(index)) | 0;
  }
  return `${process.version}-${process.arch}-${hash}`;
}

/** Data holds what one run used: each command has its own, and help, and the rest together. */
function purpose(argv: readonly string[]): string {
  const [topic = '', name] = argv;
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help';
  const ids = [`${topic}:${name}`, topic];
  return ids.find((id) => COMMANDS.includes(id))?.replaceAll(':', '-') ?? 'other';
}

/** Runs the command line. @param read gives the files of the bundle */
export function startBundle(read: ReadBundled): void {
  // Before anything slow is done.
  disableDebuggerSignal();
  hideSecretArguments(process.argv.slice(2));
  const bundle = new Bundle(read);
  // V8 asks for this when a stack is read, not when an error is made.
  Error.prepareStackTrace = (error, frames) => {
    const {sourceStack} = bundle.load('./stack.cjs') as typeof import('./stack.js');
    return sourceStack(error, frames, __dirname, read);
  };
  process.once('exit', (code) => bundle.saveCompiled(code));
  const cli = bundle.load('./cli.cjs') as typeof import('./cli.js');
  void cli.start();
}

class Bundle {
  readonly #read: ReadBundled;
  readonly #cache = openCache();
  readonly #loaded = new Map<string, Loaded>();
  readonly #suffix = `${BUILD}-${runtimeKey()}-${purpose(process.argv.slice(2))}`;

  constructor(read: ReadBundled) {
    this.#read = read;
  }

  /** Stands in for `require` inside the bundle: its own files come through the cache. */
  readonly load = (name: string): unknown => {
    if (!name.startsWith('./')) return require(name);
    return (this.#loaded.get(name) ?? this.#run(name)).module.exports;
  };

  #run(name: string): Loaded {
    const filename = join(__dirname, name);
    const cacheName = `${name.slice(2)}-${this.#suffix}`;
    const whole = this.#cache?.load(cacheName);
    const cachedData = whole ?? this.#cache?.load(`${cacheName}${partly}`);
    const script = new Script(this.#read(name.slice(2)), {filename, cachedData});
    const cached =
      cachedData === undefined || script.cachedDataRejected
        ? 'no'
        : whole === undefined
          ? 'partly'
          : 'whole';
    const module = {exports: {}, filename};
    const file = {module, script, cacheName, cached} as const;
    // Before it runs: a file that it loads may ask for it.
    this.#loaded.set(name, file);
    script.runInThisContext()(module.exports, this.load, module, filename, __dirname);
    return file;
  }

  /** Keeps what V8 compiled in this run. @param code with which the run exits */
  saveCompiled(code: number): void {
    if (process.uptime() > longestRun) return;
    for (const {script, cacheName, cached} of this.#loaded.values()) {
      const useful = code === 0 ? cached !== 'whole' : cached === 'no';
      if (!useful) continue;
      const name = code === 0 ? cacheName : `${cacheName}${partly}`;
      this.#cache?.save(name, () => script.createCachedData());
      if (code === 0 && cached === 'partly') this.#cache?.remove(`${cacheName}${partly}`);
    }
  }
}

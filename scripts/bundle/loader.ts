import {Script} from 'node:vm';
import {hideSecretArguments} from '../../src/cli/process-title.js';
import {CodeCache, userCacheDirectory} from './code-cache.js';
import {disableDebuggerSignal} from './debugger.js';

/**
 * Loads the bundle, as `require` would, with the code that V8 compiled in an earlier run of the same
 * command. This file itself is not cached, so every module it loads and every line of it takes time.
 */

/** Reads a file of the bundle, which is ASCII. @throws if there is no such file */
type ReadBundled = (name: string) => string;

/** A file of the bundle that has run. */
interface Loaded {
  readonly module: {readonly exports: unknown};
  readonly script: Script;
  readonly cacheName: string;
  /** Whether its compiled code is in the cache. */
  isCached: boolean;
}

/** Seconds after which V8 may have discarded code that ran only at the start. */
const longestRun = 60;

/** Milliseconds after which a run saves what it has compiled: it may never exit by itself. */
const longRun = 10_000;

function openCache(): CodeCache | undefined {
  const {env} = process;
  // As for Node's own compile cache: the first variable disables it, and cached code distorts coverage.
  if (env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE']) return undefined;
  const directory = userCacheDirectory(env, process.platform);
  return directory === undefined ? undefined : new CodeCache(directory);
}

/** V8 rejects code of another version or other flags; with these in the file name, both can be cached. */
function runtimeKey(): string {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').trim();
  let hash = 0;
  for (let index = 0; index < flags.length; index += 1) {
    hash = (Math.imul(hash, 31) + flags.charCodeAt(index)) | 0;
  }
  return `${process.version}-${process.arch}-${hash}`;
}

/** Cached code covers what one run used: each command has a file, help has one, and all others share one. */
function purpose(argv: readonly string[]): string {
  const [topic = '', name] = argv;
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help';
  const ids = [`${topic}:${name}`, topic];
  return ids.find((id) => COMMANDS.includes(id))?.replaceAll(':', '-') ?? 'other';
}

/** Runs the command line. @param read reads a file of the bundle */
export function startBundle(read: ReadBundled): void {
  // Before anything slow: until then, other users see the secrets.
  disableDebuggerSignal();
  hideSecretArguments(process.argv.slice(2));
  // Node holds a signal until the event loop turns: the command line, which handles it, is loaded then.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  const bundle = new Bundle(read);
  setTimeout(() => bundle.saveCompiled(), longRun).unref();
  process.once('exit', (code) => {
    // A failed run does not call all functions that the next one needs.
    if (code === 0 && process.uptime() <= longestRun) bundle.saveCompiled();
  });
  const cli = bundle.load('./cli.cjs') as typeof import('./cli.js');
  void cli.start({id: BUILD, source: SOURCE});
}

class Bundle {
  readonly #read: ReadBundled;
  readonly #cache = openCache();
  readonly #loaded = new Map<string, Loaded>();
  readonly #suffix = `${BUILD}-${runtimeKey()}-${purpose(process.argv.slice(2))}`;

  constructor(read: ReadBundled) {
    this.#read = read;
  }

  /** Replaces `require` inside the bundle: files of the bundle are loaded with their cached code. */
  readonly load = (name: string): unknown => {
    if (!name.startsWith('./')) return require(name);
    return (this.#loaded.get(name) ?? this.#run(name)).module.exports;
  };

  #run(name: string): Loaded {
    const filename = `${__dirname}/${name.slice(2)}`;
    const cacheName = `${name.slice(2)}-${this.#suffix}`;
    const cachedData = this.#cache?.load(cacheName);
    const script = new Script(this.#read(name.slice(2)), {filename, cachedData});
    const isCached = cachedData !== undefined && !script.cachedDataRejected;
    const module = {exports: {}, filename};
    const file: Loaded = {module, script, cacheName, isCached};
    // Before it runs: a file that it loads may load it in turn.
    this.#loaded.set(name, file);
    script.runInThisContext()(module.exports, this.load, module, filename, __dirname);
    return file;
  }

  /** Saves the code that V8 compiled in this run, where it is not cached yet. */
  saveCompiled(): void {
    for (const file of this.#loaded.values()) {
      if (!file.isCached) this.#cache?.save(file.cacheName, () => file.script.createCachedData());
      file.isCached = true;
    }
  }
}

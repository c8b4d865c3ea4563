import {limits} from '../contract/index.js';
import {AppError} from '../errors.js';
import type {Bounds, Store, StoreOptions} from '../store/store.js';
import {type HeapLimits, heapLimits} from '../system/heap.js';
import {createFirstKey, storeAdmin} from './admin/admin.js';
import {serveControl} from './admin/control/server.js';
import {explainStoreError} from './admin/store-errors.js';
import type {CreatedKey} from './admin/types.js';
import {type AppOptions, buildApp} from './app.js';
import type {Log} from './context.js';
import {readAddresses} from './net/addresses.js';
import {type Listener, type ListenOptions, listen, serverFactory} from './net/listener.js';
import {tlsWatcher} from './observability/certificate-watch.js';
import {Metrics} from './observability/metrics.js';
import {systemRuntime} from './runtime.js';
import {type SignalSource, type Signals, watchSignals} from './signals.js';

/** The options that are passed to the app unchanged. */
type OptionsOfApp = Pick<AppOptions, 'activationFailureLimit' | 'heartbeatInterval' | 'tokenTtl'>;

/** What to serve, and where. */
export interface ServeOptions extends ListenOptions, OptionsOfApp {
  /** The directory of the store; undefined for a database. */
  readonly directory: string | undefined;
  /** The most records of one organization; the store may lower them. Default: none. */
  readonly bounds?: Bounds | undefined;
  /** Proxies whose forwarded client addresses are trusted; see `readAddresses`. Default: none. */
  readonly trustProxy?: string | undefined;
  /** Addresses that may read the metrics; see `readAddresses`. Default: this machine. */
  readonly metricsAllow?: string | undefined;
}

/** The process around the service. */
export interface ServeEnvironment {
  openStore(options: StoreOptions): Promise<Store>;
  readonly log: Log;
  readonly process: SignalSource;
  /** Called last, when the service accepts requests and the first API key has been handled. */
  onListening(url: string): void | Promise<void>;
  /** Called when a signal starts the shutdown, before requests in flight are drained. */
  onStopping?(): void;
  /**
   * Called before an API key is created for an empty store. Rejects if the key cannot be stored;
   * resolves to false to create none.
   */
  beforeBootstrap(): Promise<boolean>;
  /** Called with the first API key of an empty store; its secret cannot be shown again. */
  onBootstrap(key: CreatedKey): void | Promise<void>;
}

/** The first organization of an empty store. */
const firstOrganization = 'default';

/**
 * Runs the reference service until a signal stops it. It then drains requests in flight, closes the
 * store and resolves. A second signal exits at once.
 *
 * @throws AppError when it cannot start
 */
export async function serve(options: ServeOptions, environment: ServeEnvironment): Promise<void> {
  checkRanges(options);
  const lists = readLists(options);
  const {log} = environment;
  const metrics = new Metrics();
  const heap = heapLimits();
  metrics.measureProcess(heap.total);
  if (options.directory !== undefined) metrics.disk(options.directory);
  const listening = {...options, onTls: tlsWatcher(log, metrics)};
  const createServer = serverFactory(listening);
  const signals = watchSignals(environment.process, options.tls !== undefined);
  try {
    const store = await openUnlessStopped(environment, {
      now: systemRuntime.now,
      bounds: options.bounds,
      waitUntil: signals.stopSignal,
      onSync: (seconds) => metrics.storeWritten(seconds),
      onCommit: (seconds) => metrics.storeWritten(seconds),
    });
    if (store === undefined) return;
    try {
      logBounds(log, store.bounds, options.bounds, heap);
      const app = {...options, ...lists, store, log, createServer, metrics};
      await serveStore(app, listening, environment, signals);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explainStoreError(error);
  } finally {
    signals.dispose();
  }
}

function readLists({host, trustProxy, metricsAllow}: ServeOptions) {
  return {
    trustProxy: trustProxy === undefined ? undefined : readAddresses('trustProxy', trustProxy),
    metricsAllow:
      metricsAllow === undefined ? undefined : readAddresses('metricsAllow', metricsAllow),
    metricsHosts: [host.toLowerCase()],
  };
}

/** Logs the bounds in force, as a warning where the heap is too small for those that were asked for. */
function logBounds(
  log: Log,
  bounds: Bounds | undefined,
  wanted: Bounds | undefined,
  {total}: HeapLimits,
): void {
  if (bounds === undefined) return;
  const {tokens: max_tokens, connectors: max_connectors} = bounds;
  const details = {max_tokens, max_connectors, heap_mebibytes: Math.round(total / 2 ** 20)};
  if (max_tokens === wanted?.tokens && max_connectors === wanted.connectors) {
    log.info(details, 'most unused tokens and connectors per organization');
  } else {
    log.warn(
      details,
      'the heap is too small for the most tokens and connectors per organization, which are lowered; a larger heap keeps them',
    );
  }
}

/** Opens the store, waiting until it is available; undefined when a signal ended the wait. */
async function openUnlessStopped(
  {openStore, log}: ServeEnvironment,
  options: Omit<StoreOptions, 'log'>,
): Promise<Store | undefined> {
  try {
    return await openStore({log, ...options});
  } catch (error) {
    if (options.waitUntil?.aborted) return undefined;
    throw error;
  }
}

async function serveStore(
  app: AppOptions,
  options: ServeOptions,
  environment: ServeEnvironment,
  signals: Signals,
): Promise<void> {
  const {tokenTtl} = app;
  const admin = storeAdmin(app.store, environment.log, {tokenTtl});
  // Other processes can use a database too, so the operator's commands open it directly.
  const {directory} = options;
  const control = directory === undefined ? undefined : await serveControl(directory, admin);
  if (directory !== undefined && control === undefined) {
    environment.log.warn(
      {store: directory},
      'no control socket: the path of the store is too long; stop the service to change its keys or connectors',
    );
  }
  try {
    const listener = await listen(await buildApp(app), options);
    await untilStopped(listener, environment, signals, () => bootstrap(app, environment));
  } finally {
    await control?.close();
  }
}

/**
 * Announces a service that listens, waits for the signal that stops it, and closes it.
 *
 * @param bootstrap handles the first API key
 */
export async function untilStopped(
  listener: Listener,
  environment: Pick<ServeEnvironment, 'log' | 'onListening' | 'onStopping'>,
  signals: Signals,
  bootstrap: () => Promise<void>,
): Promise<void> {
  try {
    signals.onReload(() => reload(listener, environment.log));
    // Only now: a key that is shown once must not be lost when the start fails.
    await bootstrap();
    await environment.onListening(listener.url);
    await signals.stopRequested;
    environment.onStopping?.();
  } finally {
    await listener.close();
  }
}

/** An invalid new certificate must not stop a service that has a valid one. */
function reload(listener: Listener, log: Log): void {
  try {
    listener.reloadTls();
    log.info({}, 'certificate reloaded');
  } catch (error) {
    log.error({err: error}, 'cannot use the new certificate; keeping the current one');
  }
}

/** Creates the first API key of an empty store; without one no operation can be authenticated. */
async function bootstrap({store}: AppOptions, environment: ServeEnvironment): Promise<void> {
  if ((await store.listApiKeys()).length > 0) return;
  if (!(await environment.beforeBootstrap())) return;
  const key = {
    organization: firstOrganization,
    description: 'Made with the store',
    expiresAt: null,
  };
  const created = await createFirstKey(store, key, environment.log);
  // Undefined: another process on the same database was faster.
  if (created !== undefined) await environment.onBootstrap(created);
}

/** @throws AppError of kind `usage` for a duration that is out of range */
export function checkRanges(options: OptionsOfApp): void {
  for (const [setting, what] of [
    ['tokenTtl', 'token lifetime'],
    ['heartbeatInterval', 'heartbeat interval'],
  ] as const) {
    const {min, max} = limits[setting];
    const {[setting]: seconds = min} = options;
    if (seconds >= min && seconds <= max) continue;
    const message = `A ${what} of ${seconds} s is out of range: ${min} s to ${max} s.`;
    throw new AppError('usage', message, {reason: 'setting-out-of-range', details: {setting}});
  }
}

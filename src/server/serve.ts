import {once} from 'node:events';
import {constants} from 'node:os';
import {limits} from '../contract/index.js';
import {AppError} from '../errors.js';
import type {Bounds, Store, StoreOptions} from '../store/store.js';
import type {StopSignal} from '../terminal/io.js';
import {createFirstKey, type SaveKey, storeAdmin} from './admin/admin.js';
import {explainStoreError} from './admin/store-errors.js';
import {type AppOptions, buildApp} from './app.js';
import {type Log, systemRuntime} from './context.js';
import {serveControl} from './control/socket.js';
import {readAddresses} from './net/addresses.js';
import {Listener, type ListenOptions} from './net/listener.js';
import {Metrics} from './observability/metrics.js';
import {UnknownConnectors} from './observability/unknown-connectors.js';

/** The options that the app gets unchanged. */
type OptionsOfApp = Pick<AppOptions, 'activationFailureLimit' | 'heartbeatInterval' | 'tokenTtl'>;

/** The options of `serve`. */
export interface ServeOptions extends ListenOptions, OptionsOfApp {
  /** The directory of the store; undefined for a database. */
  readonly directory: string | undefined;
  /** The maximum numbers of records of one organization. Default: none. */
  readonly bounds?: Bounds | undefined;
  /** Proxies whose forwarded client addresses are trusted; see `readAddresses`. Default: none. */
  readonly trustProxy?: string | undefined;
  /** Addresses that may read the metrics; see `readAddresses`. Default: this machine. */
  readonly metricsAllow?: string | undefined;
}

/** What `serve` needs from its process. */
export interface ServeEnvironment {
  openStore(options: StoreOptions): Promise<Store>;
  readonly log: Log;
  readonly process: SignalSource;
  /** Called when the service accepts requests and has saved the first API key, if it creates one. */
  onListening(url: string, hasKeys: boolean): void | Promise<void>;
  /** Called when a signal starts the shutdown, before requests in flight are drained. */
  onStopping?(): void;
  /** Saves the first API key of an empty store; see `createFirstKey`. Undefined: no key is created. */
  readonly saveFirstKey?: SaveKey | undefined;
}

/** The first API key of an empty store. */
const firstKey = {
  organization: 'default',
  description: 'Made with the store',
  expiresAt: null,
};

/**
 * Runs the reference service until a signal stops it. It then drains requests in flight, closes the
 * store and resolves. A second SIGINT or SIGTERM exits at once.
 *
 * @throws AppError when it cannot start
 */
export async function serve(options: ServeOptions, environment: ServeEnvironment): Promise<void> {
  checkRanges(options);
  const {directory, trustProxy, metricsAllow, bounds} = options;
  const lists = {
    trustProxy: readAddresses('trustProxy', trustProxy),
    metricsAllow: readAddresses('metricsAllow', metricsAllow),
  };
  const {log} = environment;
  const metrics = new Metrics();
  metrics.measureProcess();
  if (directory !== undefined) metrics.disk(directory);
  const listener = new Listener({...options, onCertificate: (at) => metrics.certificate(at)});
  const reload = options.tls && (() => reloadCertificate(listener, log));
  const signals = watchSignals(environment.process, reload);
  let store: Store | undefined;
  try {
    store = await environment.openStore({
      log,
      now: systemRuntime.now,
      bounds,
      waitUntil: signals.stopSignal,
      onWrite: (seconds) => metrics.writes.observe(seconds),
    });
    const {createServer} = listener;
    const unknown = new UnknownConnectors();
    const app = {...options, ...lists, store, log, metrics, unknown, createServer};
    await serveStore(app, directory, listener, environment, signals);
  } catch (error) {
    // A stop signal ended the wait for the store, so the start did not fail.
    if (store === undefined && signals.stopSignal.aborted) return;
    throw explainStoreError(error);
  } finally {
    await store?.close();
    signals.dispose();
  }
}

/** Reloads the certificate. If the new one is invalid, logs that and keeps the current one. */
export function reloadCertificate(listener: Pick<Listener, 'reloadTls'>, log: Log): void {
  try {
    listener.reloadTls();
    log.info({}, 'certificate reloaded');
  } catch (error) {
    log.error({err: error}, 'cannot use the new certificate; keeping the current one');
  }
}

async function serveStore(
  app: AppOptions,
  directory: string | undefined,
  listener: Listener,
  environment: ServeEnvironment,
  {stopRequested}: Signals,
): Promise<void> {
  const {log, saveFirstKey} = environment;
  const admin = storeAdmin(app.store, log, app);
  // Other processes can use a database too, so the operator's commands open it directly.
  const control = directory === undefined ? undefined : await serveControl(directory, admin, log);
  try {
    await listener.listen(await buildApp(app));
    // Created only after the start succeeded, because the key is shown once and would be lost in a failure.
    if (saveFirstKey) await createFirstKey(app.store, firstKey, saveFirstKey, log);
    const hasKeys = (await app.store.listApiKeys()).length > 0;
    await environment.onListening(listener.url, hasKeys);
    await stopRequested;
    environment.onStopping?.();
  } finally {
    await listener.close();
    await control?.close();
  }
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

type SignalListener = (signal: StopSignal) => void;

/** A source of signals, with an immediate exit. */
interface SignalSource {
  on(signal: StopSignal, listener: SignalListener): unknown;
  off(signal: StopSignal, listener: SignalListener): unknown;
  exit(code: number): unknown;
}

/** The signals of a process as the service uses them. */
interface Signals {
  /** Aborts at the first stop signal. After that, SIGINT or SIGTERM exits the process at once. */
  readonly stopSignal: AbortSignal;
  /** Resolves when `stopSignal` aborts. */
  readonly stopRequested: Promise<unknown>;
  /** Stops handling signals. */
  dispose(): void;
}

/**
 * Handles the signals of a process.
 *
 * @param reload the action on SIGHUP; if undefined, SIGHUP means that the terminal was closed, and stops the service
 *   like the other signals
 */
export function watchSignals(source: SignalSource, reload: (() => void) | undefined): Signals {
  const stop = new AbortController();
  const stopRequested = once(stop.signal, 'abort');
  const onStop: SignalListener = (signal) => {
    if (!stop.signal.aborted) stop.abort();
    // Kernel and shell may both report the loss of the terminal.
    else if (signal !== 'SIGHUP') source.exit(128 + constants.signals[signal]);
  };
  const listeners = {SIGINT: onStop, SIGTERM: onStop, SIGHUP: reload ?? onStop};
  const signals = Object.keys(listeners) as StopSignal[];
  for (const signal of signals) source.on(signal, listeners[signal]);
  return {
    stopSignal: stop.signal,
    stopRequested,
    dispose() {
      for (const signal of signals) source.off(signal, listeners[signal]);
    },
  };
}

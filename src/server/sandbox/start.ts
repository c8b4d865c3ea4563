import {headers, limits} from '../../contract/index.js';
import {AppError} from '../../errors.js';
import type {CreatedKey} from '../admin/admin.js';
import {type AppOptions, buildApp} from '../app.js';
import {readAddresses} from '../net/addresses.js';
import {Listener, type ListenOptions} from '../net/listener.js';
import {checkRanges, reloadCertificate, type ServeEnvironment, watchSignals} from '../serve.js';
import {mountControl} from './control.js';
import {injectFaults} from './inject.js';
import {Sandbox, type SandboxOptions} from './sandbox.js';

/** Options of a sandbox and of the service in it. */
export interface StartOptions
  extends SandboxOptions,
    Pick<ListenOptions, 'insecureHttp' | 'tls'>,
    Pick<AppOptions, 'activationFailureLimit' | 'log' | 'tokenTtl'> {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** The control token. Default: none, so that only programs on this machine can control the sandbox. */
  readonly controlToken?: string | undefined;
  /** Addresses that may read the metrics; see `readAddresses`. Default: this machine. */
  readonly metricsAllow?: string | undefined;
}

/** A sandbox that accepts requests. */
export interface RunningSandbox extends Pick<Listener, 'close' | 'reloadTls' | 'url'> {
  readonly sandbox: Sandbox;
  /** An API key of the sandbox's first organization, `default`. */
  readonly key: CreatedKey;
}

/**
 * Starts a sandbox: by default on a free port of this machine, without a log.
 *
 * @throws AppError when an option is not valid, or the address is not available
 */
export async function startSandbox(options: StartOptions = {}): Promise<RunningSandbox> {
  checkRanges(options);
  checkClock(options);
  const {controlToken, host = '127.0.0.1', port = 0, metricsAllow} = options;
  const sandbox = new Sandbox(options);
  const {clock, runtime, store} = sandbox;
  const listener = new Listener({...options, host, port});
  const app = await buildApp({
    ...options,
    store,
    runtime,
    createServer: listener.createServer,
    metricsAllow: readAddresses('metricsAllow', metricsAllow),
    // Never refuses because of a busy process, such as a test runner: faults cause refusals on demand.
    maxEventLoopDelay: Number.POSITIVE_INFINITY,
    extension: {
      responseHeaders: () => ({
        [headers.clock]: 'virtual',
        // Clients calculate ages with the `Date` header, so it must show the virtual time.
        date: new Date(clock.now()).toUTCString(),
      }),
      mount(mounted) {
        mountControl(mounted, sandbox, controlToken);
        // A client waits in real time between two heartbeats.
        mounted.addHook<object>('preSerialization', async (_request, _reply, response) =>
          'next_heartbeat_seconds' in response
            ? {...response, next_heartbeat_seconds: clock.realSeconds(sandbox.heartbeatInterval)}
            : response,
        );
        injectFaults(mounted, sandbox);
      },
    },
  });
  const key = await sandbox.createKey({organization: 'default'});
  await listener.listen(app);
  return {
    url: listener.url,
    reloadTls: () => listener.reloadTls(),
    sandbox,
    key,
    async close() {
      await listener.close();
      await store.close();
    },
  };
}

/** Runs a sandbox until a signal stops it, like `serve`. @throws AppError when it cannot start */
export async function serveSandbox(
  options: StartOptions,
  environment: Omit<ServeEnvironment, 'onListening' | 'openStore'>,
  onListening: (url: string, sandbox: Sandbox) => void,
): Promise<void> {
  let running: RunningSandbox | undefined;
  const reload = options.tls && (() => running && reloadCertificate(running, environment.log));
  const signals = watchSignals(environment.process, reload);
  try {
    running = await startSandbox({...options, log: environment.log});
    await environment.saveFirstKey?.(running.key);
    onListening(running.url, running.sandbox);
    await signals.stopRequested;
    environment.onStopping?.();
  } finally {
    await running?.close();
    signals.dispose();
  }
}

function checkClock({clock, rate, heartbeatInterval}: StartOptions): void {
  if (rate === undefined) return;
  if (clock === 'frozen') {
    const message = 'A rate has no effect on a frozen clock.';
    throw new AppError('usage', message, {reason: 'rate-without-effect'});
  }
  const interval = (heartbeatInterval ?? limits.heartbeatInterval.default) / rate;
  if (interval >= limits.heartbeatInterval.min) return;
  const message = `With a rate of ${rate}, connectors would have to send a heartbeat every ${Number(interval.toPrecision(2))} s.`;
  throw new AppError('usage', message, {reason: 'rate-too-high', details: {rate: String(rate)}});
}

import {hostname} from 'node:os';
import type {ClientErrorReason} from '../../client/reasons.js';
import {longestPause} from '../../client/refusals.js';
import type {Client} from '../../client/types.js';
import {type Backoff, pauseBefore} from '../../domain/backoff.js';
import {AppError} from '../../errors.js';
import {escapeControl} from '../../render/escape.js';
import {renderWaiting, waitingStatus} from '../../render/heartbeat-line.js';
import {type Clock, systemClock} from '../../system/clock.js';
import type {LockOwner} from '../../system/lock-owner.js';
import {ActivationInput} from '../activation/input.js';
import {activateMachine, previewActivation} from '../activation/machine.js';
import {saved} from '../activation/result.js';
import {serviceOf} from '../activation/service.js';
import type {ServiceSettings} from '../service/settings.js';
import {LoopSupervision} from '../supervision/heartbeat.js';
import {systemdOf} from '../supervision/systemd.js';
import {runInterruptible} from '../terminal/signals.js';
import {writeIfReady, writeMessage} from '../terminal/streams.js';
import {timeoutsPerTurn} from './process.js';

/** How a command reaches services. */
interface Services {
  readonly settings: () => Promise<ServiceSettings>;
  /** A client that makes one attempt per call. */
  readonly connect: (settings: ServiceSettings) => Promise<Client>;
}

/**
 * Completes a credentials file: the first start of a machine, whose token may be gone at every later one.
 *
 * @throws AppError as `activateOnceThere`
 */
export async function completeCredentials(
  path: string,
  flags: {readonly 'token-file'?: string | undefined; readonly name?: string | undefined},
  services: Services,
): Promise<void> {
  const input = new ActivationInput(flags, {promptAllowed: false, name: hostname()});
  const plan = await previewActivation({path, force: false}, input);
  // Without a usable token there is nothing to wait for.
  if (plan.do === 'activate') {
    if ((await input.given()) === undefined) throw noToken(path);
    await input.resolve();
  }
  const settings = serviceOf(plan, await services.settings(), path);
  const client = await services.connect(settings);
  const turnLimit = timeoutsPerTurn * settings.timeout.value;
  const start = {path, input, baseUrl: settings.baseUrl.value, client, turnLimit};
  await runInterruptible((signal) => activateOnceThere({...start, signal}));
}

function noToken(path: string): AppError {
  const message = `${path} does not exist, and there is no activation token for a first start.`;
  return new AppError('usage', message, {
    hint: 'Check the path, or pass a token with --token-file PATH or CONNECTORCTL_ACTIVATION_TOKEN.',
  });
}

/** What the first start of `connector run` activates. */
interface FirstStart {
  readonly path: string;
  readonly input: ActivationInput;
  readonly baseUrl: string;
  /** Makes one attempt per call. */
  readonly client: Client;
  /** Milliseconds that one attempt may take, with all that belongs to it. */
  readonly turnLimit: number;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

const backoff: Backoff = {first: 1000, longest: 60_000, jitter: [0.9, 1.1]};

/** Milliseconds between two lines about the same wait. */
const lineEvery = 10 * 60_000;

/** Milliseconds within which a process that waits for a lock looks again; more than lock files need. */
const lockTurn = 5000;

/**
 * Failures that look like those of a service that is away, and that waiting does not end. A certificate that is not
 * valid yet is none of them: the clock of a machine may be wrong until it has a network.
 */
const final: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'certificate-expired',
  'certificate-invalid',
  'certificate-self-signed',
  'certificate-untrusted',
  'certificate-wrong-host',
  'not-tls',
  'operation-unsupported',
]);

/** Failures of a response on its way, after which the same request is sent again. */
const broken: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'body-corrupt',
  'body-incomplete',
]);

const isAway = (error: AppError) =>
  (error.isTransient && !final.has(error.reason)) || broken.has(error.reason);

/**
 * Activates the connector of a credentials file. A service that is away is waited for: the first boot of a machine may
 * have no network yet. So is another process that activates into the file.
 *
 * @throws AppError what `activate` throws and no wait can end, or the reason of the signal, which may arrive while the
 * credentials are saved
 */
async function activateOnceThere(start: FirstStart): Promise<void> {
  const {path, input, baseUrl, client, turnLimit, signal, clock = systemClock} = start;
  const systemd = systemdOf(process.env, process.pid);
  const supervision = systemd && new LoopSupervision(systemd, clock, turnLimit);
  let quietUntil = Number.NEGATIVE_INFINITY;
  const wait = (reason: string, pause: number) => {
    supervision?.turn(pause, 'waiting', () => waitingStatus(reason, new Date()));
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + lineEvery;
    writeIfReady('stderr', `${renderWaiting(new Date(), reason)}\n`);
  };
  const onWait = ({pid}: LockOwner) => wait(`process ${pid} activates into ${path}`, lockTurn);
  const sending = {input, client, baseUrl, signal, onWait};
  try {
    for (let failures = 0; ; failures += 1) {
      try {
        const activated = await activateMachine({path, force: false}, sending);
        if (activated.isNew) {
          const {connector_id: id, name} = activated.credentials;
          writeMessage(`Activated ${escapeControl(id ?? name)}.`);
          writeMessage(saved(activated, path).notices[0] ?? '');
        }
        await supervision?.handOver();
        // It may have arrived since the response.
        signal.throwIfAborted();
        return;
      } catch (error) {
        if (!(error instanceof AppError) || signal.aborted || !isAway(error)) throw error;
        const pause = pauseBefore(failures, backoff, Math.random(), error.retryAfter);
        const limited = Math.min(pause, longestPause);
        wait(error.message, limited);
        await clock.wait(limited, signal);
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    await supervision?.close();
    throw error;
  }
}

import {hostname} from 'node:os';
import type {ClientErrorReason} from '../../client/reasons.js';
import {longestPause} from '../../client/refusals.js';
import type {Client} from '../../client/types.js';
import {type Backoff, pauseBefore} from '../../domain/backoff.js';
import {AppError} from '../../errors.js';
import type {CredentialsFileService, ServiceSettings} from '../../service/settings.js';
import {systemClock} from '../../system/clock.js';
import {lockTimeout} from '../../system/process-lock.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import type {Activated} from '../activate/activate.js';
import {ActivationInput} from '../activate/input.js';
import {activateMachine, previewActivation} from '../activate/machine.js';
import {joinedService, serviceOf} from '../activate/plan.js';
import {saved} from '../activate/result.js';
import {type HeartbeatReport, timeoutsPerTurn} from './report.js';

/** A command's access to services. */
export interface Services {
  /** @param known the service that a credentials file names; undefined where only the base URL matters */
  readonly settings: (known?: CredentialsFileService) => Promise<ServiceSettings>;
  /** A client that makes one attempt per call. */
  readonly connect: (settings: ServiceSettings, sendsToken: boolean) => Promise<Client>;
}

/**
 * Completes a credentials file at the first start of a machine; at later starts its token may be gone. It waits for an
 * unavailable service, because the first boot of a machine may have no network yet, and for another process that
 * activates into the file.
 *
 * @throws AppError of an activation that waiting cannot help, or the reason of the signal, even if the file is complete
 */
export async function completeCredentials(
  path: string,
  flags: {readonly 'token-file'?: string | undefined; readonly name?: string | undefined},
  {services, io}: {readonly services: Services; readonly io: Io},
  report: HeartbeatReport,
): Promise<void> {
  const input = new ActivationInput(flags, {promptAllowed: false, name: hostname(), io});
  const target = {path, force: false};
  const plan = await previewActivation(target, input, io);
  // Without a usable token there is nothing to wait for.
  if (plan.do === 'activate') {
    if ((await input.given()) === undefined) throw noToken(path);
    await input.resolve();
  }
  const settings = joinedService(serviceOf(plan, await services.settings(), path), input.joined);
  const client = await services.connect(settings, true);
  const baseUrl = settings.baseUrl.value;
  report.begin(timeoutsPerTurn * settings.timeout.value + lockTimeout);
  await io.interruptible(async (signal) => {
    const activate = () => activateMachine(target, {input, client, baseUrl, signal, io});
    const activated = await activateWithRetry(activate, report, signal);
    if (activated.isNew) {
      const {connector_id: id, name} = activated.credentials;
      io.note(`Activated ${escapeControl(id ?? name)}.`);
      io.note(saved(activated, path).notices[0] ?? '');
    }
    // The signal may have arrived since the response.
    signal.throwIfAborted();
  });
}

function noToken(path: string): AppError {
  const message = `${path} does not exist, and there is no activation token for a first start.`;
  return new AppError('usage', message, {
    hint: 'Check the path, or pass a token with --token-file PATH or CONNECTORCTL_ACTIVATION_TOKEN.',
  });
}

const backoff: Backoff = {first: 1000, longest: 60_000, jitter: [0.9, 1.1]};

/** Repeats an activation while its service is unavailable. */
async function activateWithRetry(
  activate: () => Promise<Activated>,
  report: HeartbeatReport,
  signal: AbortSignal,
): Promise<Activated> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await activate();
    } catch (error) {
      if (!(error instanceof AppError) || signal.aborted || !isUnavailable(error)) throw error;
      const pause = pauseBefore(failures, backoff, Math.random(), error.retryAfter);
      const limited = Math.min(pause, longestPause);
      report.failed(error, limited);
      await systemClock.wait(limited, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Failures that look like an unreachable service, but do not end by waiting. A certificate that is not valid yet is not
 * among them: the clock of a machine may be wrong until it has a network.
 */
const final: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'certificate-expired',
  'certificate-invalid',
  'certificate-self-signed',
  'certificate-untrusted',
  'certificate-wrong-host',
  'not-tls',
  'operation-unsupported',
  'proxy-authentication-required',
  'proxy-refused',
]);

/** Failures while a response arrives, after which the same request is sent again. */
const broken: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'body-corrupt',
  'body-incomplete',
]);

const isUnavailable = (error: AppError) =>
  (error.isTransient && !final.has(error.reason)) || broken.has(error.reason);

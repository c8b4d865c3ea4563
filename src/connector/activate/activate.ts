import {randomUUID} from 'node:crypto';
import type {ClientErrorReason} from '../../client/reasons.js';
import type {BlankResponse, Client} from '../../client/types.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {Io} from '../../terminal/io.js';
import {blankNotice} from '../../terminal/notices.js';
import {
  type Content,
  type Credentials,
  credentialsOf,
  type Unfinished,
} from '../credentials/credentials.js';
import type {CredentialsFiles} from '../credentials/files.js';
import {type ActivationPlan, type Force, planOf} from './plan.js';

/** An activation into a file. */
export interface Activation {
  readonly files: CredentialsFiles;
  readonly client: Pick<Client, 'activateConnector'>;
  readonly baseUrl: string;
  /** What is activated, for other processes' messages. */
  readonly label: string;
  /** Returns the token and the name; called only for a new activation. */
  readonly begin: () => Promise<Pick<Unfinished, 'name' | 'token'>>;
  /** The rule for replacing a file; by default none is replaced. */
  readonly force?: ((pending: Content) => Promise<Force | undefined>) | undefined;
  /** Checks the plan before it is carried out. @throws AppError to refuse it */
  readonly check?: ((plan: ActivationPlan) => void) | undefined;
  /** Whether an activation whose repetition the service refuses certainly never happened. Default: it may have. */
  readonly neverHappened?: ((error: AppError, name: string) => Promise<boolean>) | undefined;
  /** Aborts the wait for the lock and the request. */
  readonly signal: AbortSignal;
  /** Reports that another process activates into the file. */
  readonly io: Pick<Io, 'noteOnce'>;
}

/** The credentials in a file that is complete now. */
export interface Activated {
  readonly credentials: Credentials;
  /** Whether this run sent the request. */
  readonly isNew: boolean;
}

/**
 * Completes a credentials file. It holds the lock from before it reads the file until the file is in place: a process
 * that waits for the lock sends no request if the file is complete by then.
 *
 * @throws AppError, with `outcomeUnknown` when the pending file has an activation that another run can finish
 */
export async function activateInto(activation: Activation): Promise<Activated> {
  const lock = await activation.files.lock(activation.label, activation);
  try {
    return await activateLocked(activation);
  } finally {
    await lock.release();
  }
}

/** `activateInto` for a caller that holds the lock. */
export async function activateLocked(activation: Activation): Promise<Activated> {
  const {files, baseUrl: base_url, begin, neverHappened} = activation;
  const found = await files.read();
  const force = await activation.force?.(found.pending);
  const plan = planOf(files, found, force);
  activation.check?.(plan);
  const replaces = force && found.file;
  const start = async () => {
    const {token, name} = await begin();
    const unfinished = {base_url, name, token, idempotency_key: randomUUID()};
    return redeem(activation, unfinished, replaces);
  };
  switch (plan.do) {
    case 'report':
      if (plan.pending === 'same') await files.removePending();
      return {credentials: plan.credentials, isNew: false};
    case 'place':
      await files.saveCredentials(plan.credentials, replaces);
      await files.removePending();
      return {credentials: plan.credentials, isNew: false};
    case 'resume':
      return redeem(activation, plan.unfinished, replaces, true).catch(async (error: unknown) => {
        const {name} = plan.unfinished;
        if (!(error instanceof AppError && (await neverHappened?.(error, name)))) throw error;
        await files.removePending();
        return start();
      });
    case 'activate':
      return start();
  }
}

/**
 * Redeems a token. After an interruption at any point, the pending file lets the next run repeat the request: a
 * service that supports Idempotency-Key repeats its response.
 */
async function redeem(
  {files, client, signal}: Activation,
  unfinished: Unfinished,
  replaces: Content | undefined,
  isResumed = false,
): Promise<Activated> {
  const {token, name, idempotency_key: idempotencyKey} = unfinished;
  // 1. Save token and idempotency key before the request; the sync of an earlier run may have failed.
  await files.savePending(unfinished);
  // 2. Send the request, which may be a repetition.
  const reading = await client
    .activateConnector({token, name, idempotencyKey}, {signal})
    .catch(async (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      if (isResumed || mayHaveHappened(error)) throw unfinishedError(error, files, isResumed);
      await files.removePending();
      throw error;
    });
  if (reading.blank) throw unfinishedError(emptyResponse(reading.blank), files, isResumed);
  // 3. Put the credentials in their place.
  const credentials = credentialsOf(reading, unfinished, new Date());
  await files.saveCredentials(credentials, replaces);
  // 4. Remove the pending file.
  await files.removePending();
  return {credentials, isNew: true};
}

/** Kinds of errors after which the connector may be activated: the service failed, or its response is unreadable. */
const undecided: ReadonlySet<ErrorKind> = new Set(['remote', 'protocol']);

const mayHaveHappened = ({outcomeUnknown, kind, reason}: AppError) =>
  outcomeUnknown || (reason !== 'too-many-connectors' && undecided.has(kind));

/** The error for an empty response. A first start repeats the request, as after a response that was cut off. */
const emptyResponse = (blank: BlankResponse) =>
  new AppError('protocol', `The response to the activation is empty: ${blankNotice(blank)}`, {
    reason: 'body-incomplete' satisfies ClientErrorReason,
    outcomeUnknown: true,
  });

/** The error of a request after which the connector may be activated. */
function unfinishedError(error: AppError, {pending}: CredentialsFiles, isResumed: boolean) {
  const isRefused = error.kind === 'conflict' || error.kind === 'auth';
  // A repetition that certainly did nothing, such as one that got a 429, keeps its own hint.
  if (!isRefused && !mayHaveHappened(error)) return error.with({outcomeUnknown: true});
  const hint = `The connector may have been activated anyway. To finish, run the same command again: a service that supports Idempotency-Key repeats its response. If it does not, look for the connector with connectorctl connector list, remove ${pending}, and activate with another token.`;
  if (!isResumed || error.kind !== 'conflict') return error.with({outcomeUnknown: true, hint});
  const message = `The response to the activation in ${pending} is lost: ${error.message}`;
  return error.with({message, hint, outcomeUnknown: true});
}

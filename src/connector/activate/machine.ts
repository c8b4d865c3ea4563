import type {Client} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {writeMessage} from '../../terminal/streams.js';
import type {Content} from '../credentials/credentials.js';
import {CredentialsFiles} from '../credentials/files.js';
import {type Activated, activateInto} from './activate.js';
import type {ActivationInput} from './input.js';
import {type Plan, planOf, requirePlan} from './plan.js';
import {type ActivateResult, shown, warnOfOtherName} from './result.js';
import {requireSameService} from './service.js';

/** The credentials file of this machine, as a command line names it. */
export interface CredentialsTarget {
  readonly path: string;
  /** Whether a complete file may be replaced. */
  readonly force: boolean;
}

/** How the request of an activation is sent. */
interface Sending {
  readonly input: ActivationInput;
  readonly client: Pick<Client, 'activateConnector'>;
  readonly baseUrl: string;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** The token that `--force` begins another activation with; after an interruption its file may be gone. */
const forceWith = (input: ActivationInput) => async (pending: Content) => ({
  tokenHash: await input.tokenHash(pending.kind !== 'absent'),
});

/**
 * Says what is to be done with a file, before any prompt. The plan that counts is made under the lock.
 *
 * @throws AppError `usage` for a file that cannot be used
 */
export async function previewActivation(
  {path, force}: CredentialsTarget,
  input: ActivationInput,
): Promise<Plan> {
  checkPath(path);
  const files = new CredentialsFiles(path);
  const {file, pending} = await files.look();
  // Another run may be activating with another token: the one that gets the lock decides.
  const isFree = pending.kind === 'absent';
  const forced = force ? {tokenHash: isFree ? await input.tokenHash(false) : undefined} : undefined;
  const plan = requirePlan(planOf(file, pending, forced), files);
  if (plan.do !== 'report') return plan;
  if (plan.pending === 'other') {
    writeMessage(
      `Warning: ${files.pending} holds another activation, which is not finished. To finish it, use --force.`,
    );
  }
  return plan;
}

/**
 * Activates the connector of this machine into its file. A file that is complete is not changed, and nothing is sent.
 *
 * @throws as `activateInto`
 */
export async function activateMachine(
  {path, force}: CredentialsTarget,
  {input, client, baseUrl, signal}: Sending,
): Promise<Activated> {
  const files = new CredentialsFiles(path);
  const activated = await activateInto({
    files,
    client,
    baseUrl,
    label: input.name ?? 'a connector',
    begin: () => input.resolve(),
    force: force ? forceWith(input) : undefined,
    check(plan) {
      if (plan.do !== 'resume') return;
      requireSameService(plan.unfinished, baseUrl, files.pending);
      warnOfOtherName(plan.unfinished, input.name, files.pending);
    },
    signal,
  });
  if (!activated.isNew) warnOfOtherName(activated.credentials, input.name, path);
  return activated;
}

/**
 * Activates a connector and shows its credential. Nothing is saved, so no later run can repeat the request.
 *
 * @throws AppError what the client throws
 */
export async function activateAndShow({
  input,
  client,
  baseUrl,
  signal,
}: Sending): Promise<ActivateResult> {
  const {token, name} = await input.resolve();
  try {
    const reading = await client.activateConnector({token, name}, {signal});
    return shown(reading, {name, baseUrl});
  } catch (error) {
    if (!(error instanceof AppError) || !error.outcomeUnknown) throw error;
    throw error.with({
      hint: 'The connector may be activated nevertheless, and its credential is then lost. With --credentials-file PATH the same command would finish the activation. Look for the connector with: connectorctl connector list',
    });
  }
}

/** @throws AppError `usage` */
function checkPath(path: string): void {
  const refusal = (what: string, hint: string) =>
    new AppError('usage', `${what}; nothing was sent.`, {hint});
  if (path === '')
    throw refusal('--credentials-file names no file', 'Use --credentials-file PATH.');
  if (path !== '-') return;
  const hint = 'To print the credential on stdout, omit the flag. For a file named -, use ./-';
  throw refusal('--credentials-file - would create a file named -', hint);
}

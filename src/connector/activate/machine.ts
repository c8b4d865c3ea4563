import {lstatSync} from 'node:fs';
import {AppError} from '../../errors.js';
import type {Io} from '../../terminal/io.js';
import {askYesNo} from '../../terminal/prompt.js';
import {CredentialsFiles} from '../credentials/files.js';
import {type Activated, type Activation, activateInto} from './activate.js';
import type {ActivationInput} from './input.js';
import {type ActivationPlan, planOf, requireSameService} from './plan.js';
import {type ActivateResult, shown, warnOfOtherName} from './result.js';

/** The credentials file of this machine, as a command line names it. */
export interface CredentialsTarget {
  readonly path: string;
  /** Whether a complete file may be replaced. */
  readonly force: boolean;
}

/** The client and the service of an activation. */
interface Sending extends Pick<Activation, 'baseUrl' | 'client' | 'signal'> {
  readonly input: ActivationInput;
  readonly io: Io;
}

/**
 * Plans an activation before any prompt. `activateMachine` plans again while it holds the lock.
 *
 * @throws AppError `usage` for a file that cannot be used
 */
export async function previewActivation(
  {path, force}: CredentialsTarget,
  input: ActivationInput,
  io: Io,
): Promise<ActivationPlan> {
  checkPath(path);
  const files = new CredentialsFiles(path);
  const found = await files.read();
  // Another run may be activating with another token: the one that gets the lock decides.
  const isFree = found.pending.kind === 'absent';
  const forced = force ? {tokenHash: isFree ? await input.tokenHash(false) : undefined} : undefined;
  const plan = planOf(files, found, forced);
  if (plan.do === 'report' && plan.pending === 'other') {
    io.note(
      `Warning: ${files.pending} does not belong to the activation in ${path}. If it holds another one, --force finishes that and replaces ${path}.`,
    );
  }
  return plan;
}

/**
 * Activates this machine's connector and saves its credentials. Sends nothing for a complete file without `force`.
 *
 * @throws as `activateInto`
 */
export async function activateMachine(
  {path, force}: CredentialsTarget,
  {input, client, baseUrl, signal, io}: Sending,
): Promise<Activated> {
  const files = new CredentialsFiles(path);
  const activated = await activateInto({
    files,
    client,
    baseUrl,
    label: input.name ?? 'a connector',
    begin: () => input.resolve(),
    // After an interruption the file of the token may be gone.
    force: force
      ? async (pending) => ({tokenHash: await input.tokenHash(pending.kind !== 'absent')})
      : undefined,
    check(plan) {
      if (plan.do !== 'resume') return;
      requireSameService(plan.unfinished, baseUrl, files.pending);
      warnOfOtherName(plan.unfinished, input.name, files.pending, io);
    },
    signal,
    io,
  });
  if (!activated.isNew) warnOfOtherName(activated.credentials, input.name, path, io);
  return activated;
}

/**
 * Activates a connector and shows its credential. Nothing is saved, so no later run can repeat the request.
 *
 * @throws AppError of the client, with a hint if the outcome is unknown
 */
export async function activateAndShow({
  input,
  client,
  baseUrl,
  signal,
  io,
}: Sending): Promise<ActivateResult> {
  const {token, name} = await input.resolve();
  try {
    const reading = await client.activateConnector({token, name}, {signal});
    return shown(reading, {name, baseUrl}, io);
  } catch (error) {
    if (!(error instanceof AppError) || !error.outcomeUnknown) throw error;
    throw error.with({
      hint: 'The connector may have been activated anyway; then its credential is lost. With --credentials-file PATH the same command would finish the activation. Look for the connector with: connectorctl connector list',
    });
  }
}

/**
 * Offers to save a credential that would be shown on the terminal, where a person would have to copy it.
 *
 * @returns the path of the file; undefined to show the credential
 * @throws AppError `cancelled` on Ctrl-C
 */
export async function offerFile(name: string, io: Io): Promise<string | undefined> {
  if (!io.canPrompt || !io.stdout.isTerminal) return undefined;
  // A file name that needs no quotes in a shell: `Büro 1` becomes `B-ro-1.json`.
  const words = name.match(/[A-Za-z0-9_.]+/g) ?? [];
  const stem = words.join('-').replace(/^\.+/, '').slice(0, 100) || 'connector';
  const path = `${stem}.json`;
  if (lstatSync(path, {throwIfNoEntry: false}) !== undefined) return undefined;
  return (await askYesNo(io, `Save the credential to ${path}?`)) ? path : undefined;
}

/** Refuses `-`, which is not stdout here. @throws AppError `usage` */
function checkPath(path: string): void {
  if (path !== '-') return;
  const message = '--credentials-file - would create a file named -; nothing was sent.';
  throw new AppError('usage', message, {
    hint: 'To print the credential on stdout, omit the flag. For a file named -, use ./-',
  });
}

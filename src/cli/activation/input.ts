import {existsSync} from 'node:fs';
import {hostname} from 'node:os';
import {isSameService} from '../../client/settings.js';
import {cleanSecret} from '../../domain/clean-secret.js';
import {claimedKind, hashSecret, isWellFormedSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {refuseSecret, refuseSecretAsPath} from '../errors/misplaced-secret.js';
import {readSecretFile} from '../service/secret-input.js';
import {canPrompt} from '../terminal/capabilities.js';
import {acceptedBy, askSecret, askText, missingInput} from '../terminal/prompt.js';
import type {Credentials, UsableReservation} from './credentials.js';

/** The variable that holds the activation token itself. */
export const activationTokenVariable = 'CONNECTORCTL_ACTIVATION_TOKEN';

/** The flags of `connector activate` that give the token and the name. */
interface ActivationFlagValues {
  readonly token?: string | undefined;
  readonly 'token-file'?: string | undefined;
  readonly name?: string | undefined;
  readonly 'no-input'?: boolean;
}

/**
 * Resolves token and name: flag, then environment, then an unfinished activation, then a prompt. Both are
 * checked here, so a typing error costs no request.
 *
 * @param earlier what an earlier run left, which may outlive the file of the token; no token is needed when it is done
 * @throws AppError `usage` naming the flag when a prompt is impossible, `cancelled` on Ctrl-C
 */
export async function resolveActivation(
  flags: ActivationFlagValues,
  baseUrl: string,
  earlier: Credentials | UsableReservation | undefined,
): Promise<{token: string | undefined; tokenHash: string; name: string}> {
  const promptAllowed = canPrompt(flags['no-input'] ?? false);
  const unfinished = earlier !== undefined && 'token' in earlier ? earlier : undefined;
  const given = (await givenToken(flags, earlier)) ?? unfinishedToken(unfinished, baseUrl);
  if (given === undefined && earlier !== undefined) {
    return {token: undefined, tokenHash: earlier.token_hash, name: flags.name ?? earlier.name};
  }
  const token = given ?? (await promptToken(promptAllowed));
  checkToken(token);
  const tokenHash = hashSecret(token);
  const known = tokenHash === earlier?.token_hash ? earlier.name : undefined;
  const name = flags.name ?? known ?? (await promptName(promptAllowed));
  return {token, tokenHash, name: checkName(name)};
}

/** A token that nobody repeats goes only to the service that it was for. @throws AppError `usage` */
function unfinishedToken(
  unfinished: UsableReservation | undefined,
  baseUrl: string,
): string | undefined {
  if (unfinished === undefined || isSameService(unfinished.base_url, baseUrl)) {
    return unfinished?.token;
  }
  throw new AppError(
    'usage',
    `The unfinished activation belongs to the service ${unfinished.base_url}; nothing was sent.`,
    {hint: `Finish it with --base-url ${unfinished.base_url}, or pass another token.`},
  );
}

async function givenToken(
  flags: ActivationFlagValues,
  earlier: Credentials | UsableReservation | undefined,
): Promise<string | undefined> {
  const path = flags['token-file'];
  if (path !== undefined) {
    const isGone = earlier !== undefined && path !== '-' && !existsSync(path);
    return isGone ? undefined : readTokenFile(path);
  }
  const token = flags.token ?? process.env[activationTokenVariable];
  return cleanSecret(token ?? '') || undefined;
}

/** Reads the file of `--token-file`; `-` is stdin. @throws AppError `usage` */
export async function readTokenFile(path: string): Promise<string> {
  refuseSecretAsPath(path, '--token-file');
  return readSecretFile(path, {what: 'activation token', flag: '--token-file'});
}

async function promptToken(allowed: boolean): Promise<string> {
  if (allowed) return askSecret('Activation token', acceptedBy(checkToken));
  throw missingToken();
}

/** The error for a token that is needed and not given. */
export function missingToken(): AppError {
  const hint = 'Use --token-file PATH (- is stdin) or set CONNECTORCTL_ACTIVATION_TOKEN.';
  return missingInput('activation token', hint);
}

async function promptName(allowed: boolean): Promise<string> {
  if (allowed) return askText('Name of the connector', hostname(), acceptedBy(checkName));
  throw missingInput('connector name', 'Use --name NAME.');
}

/**
 * A token with our prefix has a checksum, so a typing error is found before any request.
 *
 * @throws AppError `usage` for a mistyped token and for another secret of ours
 */
export function checkToken(token: string): void {
  if (/\p{Cc}/u.test(token)) {
    const message = 'The activation token contains control characters or line breaks.';
    throw new AppError('usage', message, {
      hint: 'Copy it again, as one line. Nothing was sent; the token is still valid.',
    });
  }
  if (claimedKind(token) !== 'activationToken') {
    refuseSecret(token, 'an activation token', 'Create one with: connectorctl token create');
  } else if (!isWellFormedSecret('activationToken', token)) {
    throw new AppError('usage', 'The activation token is mistyped or incomplete.', {
      hint: 'Copy all of it again. Nothing was sent; the token is still valid.',
    });
  }
}

/** The service enforces all other rules for names (interface §4.2 gives no limits). */
function checkName(name: string): string {
  refuseSecret(
    name,
    "a connector's name",
    'Pass the name with --name, and the token with --token-file.',
  );
  if (name.trim() !== '') return name.trim();
  throw new AppError('usage', 'The name is empty.', {hint: 'Choose one with --name NAME.'});
}

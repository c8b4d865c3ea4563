import {isSameService} from '../../client/settings.js';
import {AppError} from '../../errors.js';
import type {ServiceSettings} from '../../service/settings.js';
import {escapeControl} from '../../terminal/escape.js';
import {
  type Content,
  type Credentials,
  tokenHashOf,
  type Unfinished,
} from '../credentials/credentials.js';
import {CredentialsFiles} from '../credentials/files.js';

/** The next step of an activation into a file. */
export type ActivationPlan =
  /** The file is complete; the pending file is absent, of the same activation, or anything else. */
  | {
      readonly do: 'report';
      readonly credentials: Credentials;
      readonly pending: 'absent' | 'other' | 'same';
    }
  /** The pending file has the credentials, which an earlier run could not put in their place. */
  | {readonly do: 'place'; readonly credentials: Credentials}
  | {readonly do: 'resume'; readonly unfinished: Unfinished}
  /** A new activation; `replaces` has the credentials that it replaces, if any. */
  | {readonly do: 'activate'; readonly replaces: Credentials | undefined};

/** With `--force`, the file may be replaced. `tokenHash` is the hash of the given token; undefined without one. */
export interface Force {
  readonly tokenHash: string | undefined;
}

const chooseAnother = 'Choose another file with --credentials-file PATH.';
const orReplace =
  'Restore it from a backup, choose another file, or activate with --force to replace it.';
const moveAway = 'Move that file elsewhere or remove it, then run this command again.';

/**
 * Chooses the action by the contents of the path and of the pending file. A complete file is the identity of its
 * machine, so only `force` begins another activation, and not with the token that made the file. Another
 * pending activation is finished first, and its file kept: it may be the only copy of a token or a credential.
 *
 * @throws AppError `usage` when no action is allowed
 */
export function planOf(
  {path, pending: pendingPath}: Pick<CredentialsFiles, 'path' | 'pending'>,
  {file, pending}: {readonly file: Content; readonly pending: Content},
  force: Force | undefined,
): ActivationPlan {
  if (file.kind === 'unusable') {
    throw refusal(path, `cannot be read: ${file.reason}`, chooseAnother);
  }
  const hash = tokenHashOf(pending);
  const isSame = hash !== undefined && hash === tokenHashOf(file);
  if (file.kind === 'credentials') {
    const {credentials} = file;
    if (force === undefined || force.tokenHash === credentials.token_hash) {
      const other = pending.kind === 'absent' ? 'absent' : 'other';
      return {do: 'report', credentials, pending: isSame ? 'same' : other};
    }
    if (isSame) return {do: 'activate', replaces: credentials};
  } else if (file.kind !== 'absent' && force === undefined) {
    const what = file.kind === 'other' ? file.what : 'holds an unfinished activation';
    throw refusal(path, what, orReplace);
  }
  const other = force?.tokenHash !== hash ? force?.tokenHash : undefined;
  if (pending.kind !== 'absent') return planPending(pendingPath, pending, other);
  return {do: 'activate', replaces: file.kind === 'credentials' ? file.credentials : undefined};
}

/** @param other the hash of this run's token if the pending file belongs to another token */
function planPending(
  path: string,
  pending: Exclude<Content, {kind: 'absent'}>,
  other: string | undefined,
): ActivationPlan {
  switch (pending.kind) {
    case 'credentials': {
      const {credentials} = pending;
      if (other === undefined) return {do: 'place', credentials};
      const owner = escapeControl(credentials.name);
      throw refusal(path, `holds the credentials of another connector, ${owner}`, moveAway);
    }
    case 'unfinished': {
      const {unfinished} = pending;
      if (other === undefined) return {do: 'resume', unfinished};
      const what = `holds the unfinished activation of another token, for the name ${JSON.stringify(unfinished.name)}`;
      throw refusal(path, what, `Finish it with its token. To give it up: ${moveAway}`);
    }
    case 'other':
      throw refusal(path, pending.what, moveAway);
    case 'unusable':
      throw refusal(path, `cannot be used: ${pending.reason}`, moveAway);
  }
}

/** @param what a phrase whose subject is the path */
const refusal = (path: string, what: string, hint: string) =>
  new AppError('usage', `${path} ${what}; nothing was sent.`, {hint});

/**
 * The settings for an activation, with the service of the file. A flag must not name another service; for an unfinished
 * activation, a variable or a profile must not either. Only an activation that replaces credentials may use another
 * service, if a setting names one.
 *
 * @throws AppError `usage` when the file belongs to another service
 */
export function serviceOf(
  plan: ActivationPlan,
  settings: ServiceSettings,
  path: string,
): ServiceSettings {
  const isUnfinished = plan.do === 'resume';
  const owner = isUnfinished
    ? plan.unfinished
    : plan.do === 'activate'
      ? plan.replaces
      : plan.credentials;
  const {value, origin} = settings.baseUrl;
  if (owner === undefined || isSameService(owner.base_url, value)) return settings;
  if (plan.do === 'activate' && origin !== 'default') return settings;
  if (isUnfinished ? origin !== 'default' : origin === 'flag') {
    requireSameService(owner, value, isUnfinished ? new CredentialsFiles(path).pending : path);
  }
  return withService(settings, {value: owner.base_url, origin: 'file'});
}

/** The settings for another service, without the API key, which belongs to the first one. */
function withService(settings: ServiceSettings, baseUrl: ServiceSettings['baseUrl']) {
  const {origin} = settings.apiKey;
  const apiKey = {origin: origin === 'unset' ? origin : 'withheld'} as const;
  return {...settings, baseUrl, apiKey};
}

/**
 * The settings with the service of a join word, which must not contradict a setting. The API key of the settings is
 * never sent to a service that only the word names.
 *
 * @throws AppError `usage`
 */
export function joinedService(settings: ServiceSettings, joined?: string): ServiceSettings {
  const {value, origin} = settings.baseUrl;
  if (joined === undefined || isSameService(joined, value)) return settings;
  if (origin === 'default') return withService(settings, {value: joined, origin: 'joined'});
  throw new AppError('usage', `The token is for ${joined}, not for ${value}; nothing was sent.`, {
    hint: `To activate at the service of the token, pass --base-url ${joined}.`,
  });
}

/** Refuses to use a credentials file, or a pending one, with another service than its own. @throws AppError `usage` */
export function requireSameService(
  {base_url: own}: Pick<Credentials, 'base_url'>,
  baseUrl: string,
  path: string,
): void {
  if (isSameService(own, baseUrl)) return;
  const message = `${path} belongs to the service ${own}, not to ${baseUrl}; nothing was sent.`;
  throw new AppError('usage', message, {
    hint: `Use --base-url ${own}, or another file for the other service.`,
  });
}

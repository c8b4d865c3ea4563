import {existsSync} from 'node:fs';
import {hostname} from 'node:os';
import {checkedUrl} from '../../client/settings.js';
import {claimedKind, hashSecret, isMistypedSecret, refuseSecret} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {VariableWithoutFlag} from '../../flags.js';
import {readSecret} from '../../service/secret-input.js';
import type {Io} from '../../terminal/io.js';
import {askSecret, askText, missingInput} from '../../terminal/prompt.js';
import {readInvitation} from './join.js';

/** The variable with the activation token itself. */
const tokenVariable: VariableWithoutFlag = 'CONNECTORCTL_ACTIVATION_TOKEN';

/** The flags that give the token and the name. */
interface ActivationFlagValues {
  readonly 'token-file'?: string | undefined;
  readonly name?: string | undefined;
}

/** Fallbacks for missing values of a new activation. */
interface Fallbacks {
  readonly io: Io;
  /** The name, where nothing is prompted for. Undefined: the name must be given, or is prompted for. */
  readonly name?: string;
}

/**
 * The token and the name of a new activation. They are read, checked and prompted for once, and only when needed: a
 * machine that is activated already starts without its token.
 */
export class ActivationInput {
  readonly #flags: ActivationFlagValues;
  readonly #fallbacks: Fallbacks;
  #given: Promise<string | undefined> | undefined;
  #token: Promise<string> | undefined;
  #resolved: Promise<{token: string; name: string}> | undefined;
  /** The base URL of the join word that gave the token; undefined before, and for a token alone. */
  joined: string | undefined;

  constructor(flags: ActivationFlagValues, fallbacks: Fallbacks) {
    this.#flags = flags;
    this.#fallbacks = fallbacks;
  }

  /** The name that a flag or the environment gives. @throws AppError `usage` for an empty one and for a secret */
  get name(): string | undefined {
    const {name} = this.#flags;
    return name === undefined ? undefined : checkName(name);
  }

  /** The token of a flag or the environment; undefined without one. @throws AppError `usage` */
  given(): Promise<string | undefined> {
    const file = {what: 'activation token', flag: '--token-file', io: this.#fallbacks.io};
    this.#given ??= readSecret(this.#flags['token-file'], tokenVariable, file).then(
      (text) => text && this.#accept(text),
    );
    return this.#given;
  }

  /** The token that is given, or else prompted for. @throws AppError as `resolve` */
  token(): Promise<string> {
    this.#token ??= this.given().then(async (given) => {
      const {io} = this.#fallbacks;
      const token = given ?? this.#accept(await promptToken(this.#fallbacks));
      if (this.joined !== undefined) io.note(`The token is for ${this.joined}.`);
      return token;
    });
    return this.#token;
  }

  /**
   * The hash of the token, if one is given.
   *
   * @param mayBeGone whether the file of the token may be missing, since an earlier run may have read it
   * @throws AppError `usage`
   */
  async tokenHash(mayBeGone: boolean): Promise<string | undefined> {
    const path = this.#flags['token-file'];
    if (mayBeGone && path !== undefined && path !== '-' && !existsSync(path)) return undefined;
    const token = await (this.#token ?? this.given());
    return token && hashSecret(token);
  }

  /** Takes a token, or a join word with one. @throws AppError `usage` */
  #accept(text: string): string {
    const {baseUrl, token} = invitationIn(text);
    this.joined = baseUrl;
    return token;
  }

  /**
   * The token and the name, each from a flag, else the environment, else its fallback or a prompt.
   *
   * @param replaced the name of the replaced connector, which is kept unless another one is given
   * @throws AppError `usage` naming the flag when a prompt is impossible, `cancelled` on Ctrl-C
   */
  resolve(replaced?: string): Promise<{token: string; name: string}> {
    this.#resolved ??= this.token().then(async (token) => {
      const {io, name: fallback} = this.#fallbacks;
      const name = this.name ?? fallback;
      return {token, name: name ?? checkName(await promptName(io, replaced))};
    });
    return this.#resolved;
  }
}

async function promptToken({io, name}: Fallbacks): Promise<string> {
  if (io.canPrompt && name === undefined) return askSecret(io, 'Activation token', invitationIn);
  const hint = 'Use --token-file PATH (- is stdin) or set CONNECTORCTL_ACTIVATION_TOKEN.';
  throw missingInput('activation token', hint);
}

async function promptName(io: Io, replaced: string | undefined): Promise<string> {
  if (io.canPrompt) return askText(io, 'Name of the connector', replaced ?? hostname(), checkName);
  if (replaced !== undefined) return replaced;
  throw missingInput('connector name', 'Use --name NAME.');
}

/** The token in a text, and the base URL beside it in a join word, both checked. @throws AppError `usage` */
function invitationIn(text: string) {
  const {baseUrl, token} = readInvitation(text);
  checkToken(token);
  return {baseUrl: baseUrl && checkedUrl(baseUrl), token};
}

/**
 * Checks a token. The checksum in a reference service's token reveals a typing error before any request.
 *
 * @throws AppError `usage` for a mistyped token, control characters, and another secret of ours
 */
function checkToken(token: string): void {
  if (/\p{Cc}/u.test(token)) {
    const message = 'The activation token contains control characters or line breaks.';
    throw new AppError('usage', message, {
      hint: 'Copy it again, as one line. Nothing was sent; the token is still valid.',
    });
  }
  if (claimedKind(token) !== 'activationToken') {
    refuseSecret(token, 'an activation token', 'Create one with: connectorctl token create');
  } else if (isMistypedSecret(token)) {
    throw new AppError('usage', 'The activation token is mistyped.', {
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

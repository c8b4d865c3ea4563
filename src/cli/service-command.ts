import type {Client} from '../client/types.js';
import {AppError} from '../errors.js';
import {escapeControl} from '../render/escape.js';
import {BaseCommand} from './base-command.js';
import {globalFlags, serviceFlags} from './flags.js';
import {plainHttpNotice} from './service/plain-http-warning.js';
import {
  type CredentialsFileService,
  chooseProfile,
  clientOptions,
  noProfile,
  resolveService,
  type ServiceFlagValues,
  type ServiceSettings,
} from './service/settings.js';
import {writeMessage} from './terminal/streams.js';

/** What the framework's parser returns, as far as the connection to the service needs it. */
export interface ParsedService {
  readonly flags: ServiceFlagValues & {readonly debug?: boolean};
  readonly raw: readonly {readonly type: string; readonly flag?: string}[];
}

/** What a command wants of its client otherwise than most. */
export interface ClientOverrides {
  /** In the place of the setting. */
  readonly retries?: number;
  /** Nothing is to be shown of its waits. */
  readonly hidesProgress?: boolean;
  /** An activation token goes over the wire. */
  readonly sendsToken?: boolean;
  /** The user is told in another way what others on the way can read. */
  readonly skipsPlainHttpWarning?: boolean;
}

/** A command that talks to the service. */
export abstract class ServiceCommand<Result> extends BaseCommand<Result> {
  static override baseFlags = {...globalFlags, ...serviceFlags};

  /**
   * How to reach the service: flag, then environment, then profile, then default.
   *
   * @param known what a credentials file says of the service; a flag on the command line beats it
   */
  protected async settings(
    parsed: ParsedService,
    known?: CredentialsFileService,
  ): Promise<ServiceSettings> {
    const given = (flag: string) => this.isGiven(parsed, flag);
    const chosen = await chooseProfile(parsed.flags, given, this.profiles, known);
    return resolveService(parsed.flags, given, chosen, known);
  }

  /** The settings of a command that needs nothing but the base URL: with it, the profiles may be unreadable. */
  protected async settingsByUrl(parsed: ParsedService): Promise<ServiceSettings> {
    try {
      return await this.settings(parsed);
    } catch (error) {
      const {'base-url': baseUrl, profile} = parsed.flags;
      if (baseUrl === undefined || profile !== undefined || !(error instanceof AppError))
        throw error;
      writeMessage(`Warning: ${escapeControl(error.message)} Going on without profiles.`);
      return resolveService(parsed.flags, (flag) => this.isGiven(parsed, flag), noProfile);
    }
  }

  /** Whether a flag stood on the command line itself, rather than in the environment. */
  protected isGiven({raw}: ParsedService, flag: string): boolean {
    return raw.some((token) => token.type === 'flag' && token.flag === flag);
  }

  /**
   * A client for the service that the settings name.
   *
   * @param known as in `settings`
   */
  protected async client(
    parsed: ParsedService,
    known?: CredentialsFileService,
    wishes?: ClientOverrides,
  ): Promise<Client> {
    return this.connect(await this.settings(parsed, known), parsed, wishes);
  }

  /** A client for these settings; see `client`. */
  protected async connect(
    settings: ServiceSettings,
    {flags}: ParsedService,
    {
      retries,
      hidesProgress = false,
      sendsToken = false,
      skipsPlainHttpWarning = false,
    }: ClientOverrides = {},
  ): Promise<Client> {
    const {createClient} = await import('../client/create-client.js');
    const options = await clientOptions(settings);
    const client = createClient({
      ...options,
      retries: retries ?? options.retries,
      trace: flags.debug ? (line) => writeMessage(escapeControl(line)) : undefined,
    });
    const warning = plainHttpNotice(options.baseUrl, {
      hasKey: options.apiKey !== undefined,
      sendsToken,
    });
    if (warning !== undefined && !skipsPlainHttpWarning) writeMessage(warning);
    return hidesProgress || !process.stderr.isTTY ? client : tellingWaits(client, settings);
  }
}

/** The client on a terminal: there it says what it waits for. */
async function tellingWaits(client: Client, {baseUrl}: ServiceSettings): Promise<Client> {
  const [{createStatusLine}, {withProgress}] = await Promise.all([
    import('./terminal/status-line.js'),
    import('./service/progress-client.js'),
  ]);
  const line = createStatusLine();
  return line ? withProgress(client, line, baseUrl.value) : client;
}

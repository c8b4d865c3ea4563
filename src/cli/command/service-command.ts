import type {Client, ClientOptions, KeyReading, ServiceFacts} from '../../client/types.js';
import type {IdResult} from '../../connector/ids.js';
import {redactSecrets} from '../../domain/secret.js';
import type {AppError} from '../../errors.js';
import {globalFlags} from '../../flags.js';
import {expiryText, plainHttpNotice} from '../../service/notices.js';
import {
  type CredentialsFileService,
  chooseProfile,
  clientOptions,
  resolveService,
  type ServiceFlagValues,
  type ServiceSettings,
  serviceFlags,
  shownSettings,
} from '../../service/settings.js';
import {escapeControl} from '../../terminal/escape.js';
import {paletteFor} from '../../terminal/palette.js';
import {createStatusLine, type StatusLine} from '../../terminal/status-line.js';
import {writeError, writeMessage} from '../../terminal/streams.js';
import {BaseCommand} from './base-command.js';

/** Milliseconds between two clocks that a `Date` in whole seconds and a slow response explain. */
const clockUncertainty = 2000;

/** Options of a command's client that differ from the defaults. */
interface ClientOverrides extends Pick<ClientOptions, 'onResponse'> {
  /** Overrides the setting. */
  readonly retries?: number;
  /** Shows no status line while the client waits for the service. */
  readonly hidesProgress?: boolean;
  /** The command sends or receives an activation token, so plain HTTP would expose that too. */
  readonly sendsToken?: boolean;
  /** The result of the command says that the API key expires. */
  readonly showsExpiry?: boolean;
}

/** A command that talks to the service. The methods below need the command line to be parsed. */
export abstract class ServiceCommand<Result> extends BaseCommand<Result> {
  static override baseFlags = {...globalFlags, ...serviceFlags};

  /** Whether a response came from a sandbox. */
  protected isSandbox = false;

  /** The API key as the last response describes it. */
  protected key: KeyReading | undefined;

  #isExpiryTold = false;

  /** A notice that the API key expires soon, without a period; undefined if there is time. */
  protected readonly expiry = (): string | undefined => expiryText(this.key, this.now());

  /** Milliseconds that the clock of the service is ahead of this machine's. */
  #ahead = 0;

  /**
   * The current time by the clock of the service, if it differs from this machine's. Statuses come from the
   * service, so ages beside them must count by its clock: "online" and "30d ago" contradict each other.
   */
  protected override readonly now = (): number => Date.now() + this.#ahead;

  /** The flags and variables that say how to reach the service. */
  get #flags(): ServiceFlagValues {
    return this.commandLine.flags;
  }

  /**
   * The settings of the service, each from its flag, else the environment, the profile or the default.
   *
   * @param known the service that a credentials file names; only a flag overrides it
   */
  protected async settings(known?: CredentialsFileService): Promise<ServiceSettings> {
    const chosen = await chooseProfile(this.#flags, this.isGiven, this.profiles, known);
    return resolveService(this.#flags, this.isGiven, chosen, known);
  }

  /** Whether the command line itself names a flag, rather than the environment. */
  protected readonly isGiven = (flag: string): boolean =>
    this.commandLine.raw.some((token) => token.type === 'flag' && token.flag === flag);

  /**
   * The settings, and a client for the service that they name.
   *
   * @param known as in `settings`
   */
  protected async client(
    overrides?: ClientOverrides,
    known?: CredentialsFileService,
  ): Promise<{readonly client: Client; readonly settings: ServiceSettings}> {
    const settings = await this.settings(known);
    return {settings, client: await this.connect(settings, overrides)};
  }

  /**
   * Reports the failures among several ids on stderr; the process exits with the code of the first.
   *
   * @returns the outcomes, with the hints of their errors
   */
  protected async *reported<T>(outcomes: AsyncIterable<IdResult<T>>): AsyncGenerator<IdResult<T>> {
    let skipped = 0;
    for await (const outcome of outcomes) {
      const error = 'error' in outcome ? outcome.error : undefined;
      if (!('value' in outcome) && error === undefined) skipped += 1;
      yield error === undefined ? outcome : {id: outcome.id, error: await this.#report(error)};
    }
    if (skipped > 0) writeError(`Not tried: ${skipped} more ${skipped === 1 ? 'id' : 'ids'}.`);
  }

  async #report(error: AppError): Promise<AppError> {
    process.exitCode ??= error.exitCode;
    const failure = await this.explained(error);
    const {renderError} = await import('../../terminal/errors/view.js');
    const palette = await paletteFor(this.colorLevel('stderr'));
    writeError(redactSecrets(renderError(failure, palette)));
    return failure;
  }

  #reportSettings(settings: ServiceSettings): void {
    const shown = shownSettings(settings, this.profiles);
    for (const {name, value, from} of Object.values(shown)) {
      writeError(escapeControl(`* ${name}: ${value} (${from})`));
    }
  }

  /** The options of a client with these settings, with the trace of --debug. */
  protected async tracedOptions(settings: ServiceSettings): Promise<ClientOptions> {
    const {debug} = this.#flags;
    if (debug) this.#reportSettings(settings);
    return {
      ...(await clientOptions(settings)),
      trace: debug ? (line) => writeError(escapeControl(line)) : undefined,
    };
  }

  #note({isSandbox, serverTime, key}: ServiceFacts, showsExpiry: boolean): void {
    this.isSandbox ||= isSandbox;
    if (serverTime) {
      const ahead = serverTime.getTime() - Date.now();
      this.#ahead = Math.abs(ahead) < clockUncertainty ? 0 : ahead;
    }
    if (key === undefined) return;
    this.key = key;
    const soon = showsExpiry || this.#isExpiryTold ? undefined : this.expiry();
    if (soon !== undefined) writeMessage(`Warning: ${soon}.`);
    this.#isExpiryTold ||= soon !== undefined;
  }

  /** A client for the service that these settings name. */
  protected async connect(
    settings: ServiceSettings,
    {
      retries,
      hidesProgress = false,
      sendsToken = false,
      showsExpiry = false,
      onResponse,
    }: ClientOverrides = {},
  ): Promise<Client> {
    const {createClient} = await import('../../client/create-client.js');
    const options = await this.tracedOptions(settings);
    const client = createClient({
      ...options,
      retries: retries ?? options.retries,
      onResponse: (facts) => {
        this.#note(facts, showsExpiry);
        onResponse?.(facts);
      },
    });
    const warning = plainHttpNotice(options.baseUrl, {
      hasKey: options.apiKey !== undefined,
      sendsToken,
    });
    if (warning !== undefined) writeMessage(warning);
    const line = hidesProgress ? undefined : createStatusLine();
    return line === undefined ? client : withProgress(client, line, settings.baseUrl.value);
  }
}

/** The client with a status line while it waits. @param service name of the service on that line */
function withProgress(client: Client, line: StatusLine, service: string): Client {
  const waited = async <T>(call: Promise<T>): Promise<T> => {
    const end = line.begin(() => `Waiting for ${service} …`);
    return call.finally(end);
  };
  return {
    createToken: (...call) => waited(client.createToken(...call)),
    activateConnector: (...call) => waited(client.activateConnector(...call)),
    getConnector: (...call) => waited(client.getConnector(...call)),
    sendHeartbeat: (...call) => waited(client.sendHeartbeat(...call)),
    keepAlive: (...call) => client.keepAlive(...call),
    listConnectors: (options) => {
      const list = client.listConnectors(options);
      return {
        [Symbol.asyncIterator]: () => list[Symbol.asyncIterator](),
        toArray: (most) => waited(list.toArray(most)),
        sent: (most) => waited(list.sent(most)),
      };
    },
  };
}

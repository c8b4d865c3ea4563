import type {Client, ClientOptions, ServiceFacts} from '../../client/types.js';
import {globalFlags} from '../../flags.js';
import {expiryText, plainHttpNotice} from '../../service/notices.js';
import {userProfiles} from '../../service/profiles/store.js';
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
import {settingText} from '../../terminal/fields.js';
import type {Io} from '../../terminal/io.js';
import {noDateText} from '../../terminal/notices.js';
import {BaseCommand} from './base-command.js';

/** Maximum difference of two clocks, in milliseconds, that whole seconds in `Date` and a slow response explain. */
const clockUncertainty = 2000;

/** Options of a command's client that differ from the defaults. */
interface ClientOverrides {
  /** Overrides the number of retries in the settings. */
  readonly retries?: number;
  /** Whether to show no status line while the client waits for the service. */
  readonly hidesProgress?: boolean;
  /** Whether the command sends or receives an activation token, which plain HTTP would expose. */
  readonly sendsToken?: boolean;
}

/** A command that talks to the service. The methods below need the command line to be parsed. */
export abstract class ServiceCommand<Result> extends BaseCommand<Result> {
  static override baseFlags = {...globalFlags, ...serviceFlags};

  /** What the responses so far say about the service; undefined before the first. */
  protected facts: ServiceFacts | undefined;

  /** Whether the result of the command, or an earlier warning, reports the expiry of the API key. */
  protected isExpiryTold = false;

  /**
   * The current time by the clock of the service, if it differs from this machine's: whole seconds, like a `Date`.
   * Statuses come from the service, so ages beside them must count by its clock: "online" and "30d ago" contradict each
   * other.
   */
  protected readonly now = (): number => {
    const ahead = this.facts?.clockAhead ?? 0;
    if (Math.abs(ahead) < clockUncertainty) return Date.now();
    return Math.floor((Date.now() + ahead) / 1000) * 1000;
  };

  get #flags(): ServiceFlagValues {
    return this.commandLine.flags;
  }

  /** The settings of the service. @param known the service of a credentials file */
  protected async settings(known?: CredentialsFileService): Promise<ServiceSettings> {
    const chosen = await chooseProfile(this.#flags, this.isGiven, userProfiles(), known, this.io);
    return resolveService(this.#flags, this.isGiven, chosen, known);
  }

  /** Whether the command line itself names a flag, rather than the environment. */
  protected readonly isGiven = (flag: string): boolean =>
    this.commandLine.raw.some((token) => token.type === 'flag' && token.flag === flag);

  /** The settings, and a client for the service that they name. */
  protected async client(
    overrides?: ClientOverrides,
  ): Promise<{readonly client: Client; readonly settings: ServiceSettings}> {
    const settings = await this.settings();
    return {settings, client: await this.connect(settings, overrides)};
  }

  /** The options of a client with these settings, with the trace of --debug. */
  protected async tracedOptions(settings: ServiceSettings): Promise<ClientOptions> {
    const trace = (line: string) => this.io.error(escapeControl(line));
    if (!this.#flags.debug) return clientOptions(settings, this.io);
    for (const setting of Object.values(shownSettings(settings, userProfiles()))) {
      trace(`* ${setting.name}: ${settingText(setting)}`);
    }
    return {...(await clientOptions(settings, this.io)), trace};
  }

  #note(facts: ServiceFacts): void {
    const {key, clockAhead} = this.facts ?? {};
    this.facts = {...facts, key: facts.key ?? key, clockAhead: facts.clockAhead ?? clockAhead};
    const soon = expiryText(this.facts.key, this.now());
    if (soon === undefined || this.isExpiryTold) return;
    this.isExpiryTold = true;
    this.io.note(`Warning: ${soon}.`);
  }

  /** Warns if ages count from this machine's clock, because the service sends no `Date`. */
  protected noteLocalClock(): void {
    if (this.facts?.clockAhead === undefined) this.io.note(`Warning: ${noDateText}.`);
  }

  /** The terminal and the clock that the output of connectors depends on. */
  protected get outputSettings() {
    return {io: this.io, now: this.now};
  }

  /** A client for the service that these settings name. */
  protected async connect(
    settings: ServiceSettings,
    {retries, hidesProgress = false, sendsToken = false}: ClientOverrides = {},
  ): Promise<Client> {
    const {createClient} = await import('../../client/create-client.js');
    const options = await this.tracedOptions(settings);
    const client = createClient({
      ...options,
      retries: retries ?? options.retries,
      onResponse: (facts) => this.#note(facts),
    });
    const hasKey = options.apiKey !== undefined;
    const warning = plainHttpNotice(options.baseUrl, {hasKey, sendsToken});
    if (warning !== undefined) this.io.note(warning);
    return hidesProgress ? client : withProgress(client, settings.baseUrl.value, this.io);
  }
}

/** The client; its calls show a status line, except `keepAlive` and iteration. @param service its name on that line */
function withProgress(client: Client, service: string, io: Pick<Io, 'progress'>): Client {
  const waited = <T>(call: Promise<T>): Promise<T> =>
    call.finally(io.progress(() => `Waiting for ${service} …`));
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
        all: (range) => waited(list.all(range)),
      };
    },
  };
}

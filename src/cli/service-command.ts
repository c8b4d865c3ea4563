import type {Client} from '../client/types.js';
import {BaseCommand} from './base-command.js';
import {globalFlags, serviceFlags} from './flags.js';
import {
  clientOptions,
  resolveService,
  type ServiceFlagValues,
  type ServiceSettings,
  withKnownService,
} from './settings.js';
import {say} from './streams.js';

/** What the framework's parser returns, as far as the connection to the service needs it. */
export interface ParsedService {
  readonly flags: ServiceFlagValues & {readonly debug?: boolean};
  readonly raw: readonly {readonly type: string; readonly flag?: string}[];
}

/** A command that talks to the service. */
export abstract class ServiceCommand<Result> extends BaseCommand<Result> {
  static override baseFlags = {...globalFlags, ...serviceFlags};

  /** How to reach the service: flag, then environment, then profile, then default. */
  protected settings(parsed: ParsedService): Promise<ServiceSettings> {
    return resolveService(parsed.flags, (flag) => this.isGiven(parsed, flag), this.profiles);
  }

  /** Whether a flag stood on the command line itself, rather than in the environment. */
  protected isGiven({raw}: ParsedService, flag: string): boolean {
    return raw.some((token) => token.type === 'flag' && token.flag === flag);
  }

  /**
   * A client for the service that the settings name.
   *
   * @param known what a credentials file says of the service; a flag on the command line beats it
   * @param wishes `retries` in the place of the setting; `isSilent` to show nothing of its waits
   */
  protected async client(
    parsed: ParsedService,
    known?: {readonly baseUrl: string; readonly apiKey: string | undefined},
    {retries, isSilent = false}: {retries?: number; isSilent?: boolean} = {},
  ): Promise<Client> {
    const {createClient} = await import('../client/create-client.js');
    const settings = withKnownService(await this.settings(parsed), known);
    const options = await clientOptions(settings);
    const client = createClient({
      ...options,
      retries: retries ?? options.retries,
      trace: parsed.flags.debug ? say : undefined,
    });
    return isSilent || !process.stderr.isTTY ? client : tellingWaits(client, settings);
  }
}

/** The client on a terminal: there it says what it waits for. */
async function tellingWaits(client: Client, {baseUrl}: ServiceSettings): Promise<Client> {
  const [{statusLineHere}, {patientClient}] = await Promise.all([
    import('./status-line.js'),
    import('./patient-client.js'),
  ]);
  const line = statusLineHere();
  return line ? patientClient(client, line, baseUrl.value) : client;
}

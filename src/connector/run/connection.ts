import {randomUUID} from 'node:crypto';
import type {Client, ConnectorReading, HeartbeatReading} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {reasonOf} from '../../system/system-error.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import {heartbeatTarget, readCredentials} from '../credentials/target.js';
import {type FindByName, namesOfService, withId} from '../id-words.js';
import type {Services} from './first-start.js';
import type {RunFlags} from './flags.js';
import type {HeartbeatReport} from './report.js';

/** A command line of `connector run`, and what it uses. */
export interface Run {
  readonly id: string | undefined;
  readonly flags: Partial<RunFlags>;
  /** The words of a command that runs beside this process, and owns stdin and stdout. */
  readonly command: readonly string[] | undefined;
  readonly services: Services;
  readonly io: Io;
  readonly accepted: (id: string, reading: HeartbeatReading) => void;
  /** Called when another process begins to send heartbeats for the connector, and when it stops. */
  readonly shared: (id: string, isShared: boolean) => void;
}

/**
 * Finds the connector of a command line; at the first start of a machine, activates it. For an existing connector it
 * sends no request.
 *
 * @throws AppError when the settings or the credentials file cannot be used, or the activation fails
 */
export async function openConnection(
  {id, flags, command, services, io}: Run,
  report: HeartbeatReport,
): Promise<LiveConnection> {
  const file = flags['credentials-file'];
  if (file !== undefined && id === undefined) await complete(file, flags, {services, io}, report);
  const open = async (): Promise<Connection> => {
    const {id: known, service} = await heartbeatTarget(id, file, io);
    const settings = await services.settings(service);
    if (command !== undefined && settings.apiKey.file === '-') {
      throw new AppError(
        'usage',
        'The API key cannot come from stdin: it belongs to the command.',
        {
          hint: 'Pass a file with --api-key-file PATH, or use --credentials-file.',
        },
      );
    }
    if (service !== undefined) {
      const {requireSameService} = await import('../activate/plan.js');
      requireSameService({base_url: service.baseUrl}, settings.baseUrl.value, file ?? '');
    }
    return {
      id: known,
      fileKey: settings.apiKey.origin === 'file' ? service?.apiKey : undefined,
      timeout: settings.timeout.value,
      client: await services.connect(settings, false),
    };
  };
  const readKey = async () => (await heartbeatTarget(id, file, io)).service?.apiKey;
  return new LiveConnection(await open(), open, readKey, io);
}

/** Completes the credentials file, if it is not complete yet. */
async function complete(
  file: string,
  flags: Run['flags'],
  {services, io}: Pick<Run, 'io' | 'services'>,
  report: HeartbeatReport,
): Promise<void> {
  const found = await readCredentials(file, io);
  if (found instanceof AppError) {
    // Loaded at the first start alone: later ones activate nothing.
    const {completeCredentials} = await import('./first-start.js');
    await completeCredentials(file, flags, {services, io}, report);
  } else if (flags.name !== undefined) {
    const {warnOfOtherName} = await import('../activate/result.js');
    warnOfOtherName(found, flags.name, file, io);
  }
}

/** A connector, the key of its credentials file, and a client for its service. */
export interface Connection {
  readonly id: string;
  /** Undefined when the key comes from elsewhere. */
  readonly fileKey: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  readonly client: Pick<Client, 'getConnector' | 'listConnectors' | 'sendHeartbeat'>;
}

/** A connector whose credentials file may be replaced while heartbeats are sent. */
export class LiveConnection {
  #current: Connection;
  readonly #open: () => Promise<Connection>;
  readonly #readKey: () => Promise<string | undefined>;
  readonly #io: Pick<Io, 'note'>;
  #isUnreadable = false;
  #findByName: FindByName | undefined;
  readonly #process = randomUUID();

  /**
   * @param open reads the credentials file once more
   * @param readKey reads only its key
   */
  constructor(
    first: Connection,
    open: () => Promise<Connection>,
    readKey: () => Promise<string | undefined>,
    io: Pick<Io, 'note'>,
  ) {
    this.#current = first;
    this.#open = open;
    this.#readKey = readKey;
    this.#io = io;
  }

  get id(): string {
    return this.#current.id;
  }

  get timeout(): number {
    return this.#current.timeout;
  }

  /** Sends one heartbeat. @throws AppError as the client does, and for a name in place of an id */
  async send(signal: AbortSignal): Promise<HeartbeatReading> {
    // An operator may have replaced the key since the last heartbeat.
    await this.renew();
    const {client} = this.#current;
    this.#findByName ??= namesOfService(client, {stop: signal});
    return withId(this.id, this.#findByName, (id) =>
      client.sendHeartbeat(id, {signal, process: this.#process}),
    );
  }

  read(signal: AbortSignal): Promise<ConnectorReading> {
    return this.#current.client.getConnector(this.id, {signal});
  }

  /**
   * Continues with the credentials file when an operator has replaced its key. It tries an unreadable file again each
   * time, because the operator may still be changing its owner or contents.
   *
   * @returns whether it has another key now
   */
  async renew(): Promise<boolean> {
    const {fileKey} = this.#current;
    if (fileKey === undefined) return false;
    let next: Connection | undefined;
    try {
      const key = await this.#readKey();
      if (key !== undefined && key !== fileKey) next = await this.#open();
      this.#isUnreadable = false;
    } catch (error) {
      if (!this.#isUnreadable) {
        this.#io.note(`Continuing with the key read earlier: ${escapeControl(reasonOf(error))}`);
      }
      this.#isUnreadable = true;
      return false;
    }
    if (next?.fileKey === undefined) return false;
    this.#current = next;
    this.#findByName = undefined;
    this.#io.note(`The credentials file has another key; continuing as ${escapeControl(next.id)}.`);
    return true;
  }
}

import {randomUUID} from 'node:crypto';
import type {ClientErrorReason} from '../../client/reasons.js';
import type {Client, ConnectorReading, HeartbeatReading} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {reasonOf} from '../../system/system-error.js';
import {escapeControl} from '../../terminal/escape.js';
import {heartbeatTarget, readCredentials} from '../credentials/target.js';
import type {ConnectionSource} from './flags.js';
import type {HeartbeatReport} from './report.js';

/** A connector, the key of its credentials file, and a client for its service. */
interface Connection {
  readonly id: string;
  /** The API key of the credentials file; undefined when the key comes from elsewhere. */
  readonly fileKey: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  readonly client: Pick<Client, 'getConnector' | 'sendHeartbeat'>;
}

/** The connector of a command line. Its credentials file may be replaced while heartbeats are sent. */
export class LiveConnection {
  readonly #run: ConnectionSource;
  readonly #report: Pick<HeartbeatReport, 'begin'>;
  #complete: ((signal: AbortSignal) => Promise<void>) | undefined;
  #current: Connection | undefined;
  readonly #process = randomUUID();

  constructor(run: ConnectionSource, report: Pick<HeartbeatReport, 'begin'>) {
    this.#run = run;
    this.#report = report;
  }

  /** @throws AppError before `open` */
  get current(): Connection {
    if (this.#current === undefined) throw new AppError('internal', 'The connection is not open.');
    return this.#current;
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Finds the connector; at the first start of a machine, activates it. For an existing connector it sends no request.
   *
   * @throws AppError when the settings or the credentials file cannot be used, or the activation fails; see
   *   `mayRepeat`
   */
  async open(signal: AbortSignal): Promise<void> {
    const {id, flags} = this.#run;
    if (flags['credentials-file'] !== undefined && id === undefined) {
      this.#complete ??= await this.#completion(flags['credentials-file']);
      await this.#complete(signal);
      // The signal may have arrived since the response.
      signal.throwIfAborted();
    }
    this.#current = await this.#connect(await this.#target());
  }

  /** Returns a function that tries to complete the credentials file; it does nothing for a complete file. */
  async #completion(file: string): Promise<(signal: AbortSignal) => Promise<void>> {
    const {flags, io} = this.#run;
    const found = await readCredentials(file, io);
    if (found instanceof AppError) {
      // Imported only at a first start: later starts activate nothing.
      const {prepareFirstStart} = await import('./first-start.js');
      return prepareFirstStart(file, this.#run, this.#report);
    }
    if (flags.name !== undefined) {
      const {warnOfOtherName} = await import('../activate/result.js');
      warnOfOtherName(found, flags.name, file, io);
    }
    return async () => undefined;
  }

  #target() {
    const {id, flags, io} = this.#run;
    return heartbeatTarget(id, flags['credentials-file'], io);
  }

  async #connect({id, service}: Awaited<ReturnType<typeof heartbeatTarget>>): Promise<Connection> {
    const {command, flags, services} = this.#run;
    const settings = await services.settings(service);
    if (command !== undefined && settings.apiKey.file === '-') {
      const message = 'The API key cannot come from stdin, which belongs to the command.';
      throw new AppError('usage', message, {
        hint: 'Pass a file with --api-key-file PATH, or use --credentials-file.',
      });
    }
    if (service !== undefined) {
      const {requireSameService} = await import('../activate/plan.js');
      const file = flags['credentials-file'] ?? '';
      requireSameService({base_url: service.baseUrl}, settings.baseUrl.value, file);
    }
    return {
      id,
      fileKey: settings.apiKey.origin === 'file' ? service?.apiKey : undefined,
      timeout: settings.timeout.value,
      client: await services.connect(settings, false),
    };
  }

  /** Sends one heartbeat. @throws AppError as the client does */
  async send(signal: AbortSignal): Promise<HeartbeatReading> {
    // An operator may have replaced the key since the last heartbeat.
    await this.renew();
    const {client, id} = this.current;
    return client.sendHeartbeat(id, {signal, process: this.#process});
  }

  read(signal: AbortSignal): Promise<ConnectorReading> {
    const {client, id} = this.current;
    return client.getConnector(id, {signal});
  }

  /**
   * Continues with the credentials file when an operator has replaced its key. It tries an unreadable file again each
   * time, because the operator may still be changing its owner or contents.
   *
   * @returns whether the file has another key now
   */
  async renew(): Promise<boolean> {
    const fileKey = this.#current?.fileKey;
    if (fileKey === undefined) return false;
    const {io} = this.#run;
    let next: Connection | undefined;
    try {
      const target = await this.#target();
      const key = target.service?.apiKey;
      if (key !== undefined && key !== fileKey) next = await this.#connect(target);
    } catch (error) {
      io.noteOnce(`Continuing with the key read earlier: ${escapeControl(reasonOf(error))}`);
      return false;
    }
    if (next?.fileKey === undefined) return false;
    this.#current = next;
    io.note(`The credentials file has another key; continuing as ${escapeControl(next.id)}.`);
    return true;
  }
}

/**
 * Failures that look like an unreachable service, but do not pass with time. A certificate that is not valid yet is not
 * among them: the clock of a machine may be wrong until it has a network.
 */
const final: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'certificate-expired',
  'certificate-invalid',
  'certificate-self-signed',
  'certificate-untrusted',
  'certificate-wrong-host',
  'not-tls',
  'operation-unsupported',
  'proxy-authentication-required',
  'proxy-refused',
]);

/** Failures while a response arrives, after which the same request is sent again. */
const broken: ReadonlySet<string | undefined> = new Set<ClientErrorReason>([
  'body-corrupt',
  'body-incomplete',
]);

/** Whether another attempt may succeed: the first boot of a machine may have no network yet. */
export const mayRepeat = ({isTransient, reason}: AppError): boolean =>
  (isTransient && !final.has(reason)) || broken.has(reason);

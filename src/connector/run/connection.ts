import {statSync} from 'node:fs';
import type {Client, HeartbeatReading} from '../../client/types.js';
import {refuseKeyFromStdin} from '../../service/settings.js';
import {reasonOf} from '../../system/system-error.js';
import {escapeControl} from '../../terminal/escape.js';
import {writeMessage} from '../../terminal/streams.js';
import type {Services} from './first-start.js';
import type {RunFlags} from './flags.js';
import type {HeartbeatReport} from './report.js';
import {type HeartbeatTarget, heartbeatTarget} from './target.js';

/** What a command line of `connector run` names. */
export interface Named {
  readonly id: string | undefined;
  readonly flags: Partial<RunFlags>;
  /** Whether a command runs beside this process, which owns stdin. */
  readonly hasCommand: boolean;
  readonly services: Services;
}

/**
 * Finds the connector of a command line; at the first start of a machine, activates it.
 *
 * @throws AppError before anything is sent for a connector that exists
 */
export async function openConnection(
  {id, flags, hasCommand, services}: Named,
  report: HeartbeatReport,
): Promise<LiveConnection> {
  const file = flags['credentials-file'];
  // Before the file is read: one that replaces it meanwhile is noticed.
  const version = versionOf(file);
  const open = async ({id: known, service}: HeartbeatTarget): Promise<Connection> => {
    const settings = await services.settings(service);
    if (hasCommand) refuseKeyFromStdin(settings.apiKey.value);
    if (service !== undefined) {
      const {requireSameService} = await import('../activate/plan.js');
      requireSameService({base_url: service.baseUrl}, settings.baseUrl.value, file ?? '');
    }
    const checked = await services.checked(settings);
    return {
      id: known,
      fileKey: settings.apiKey.origin === 'file' ? service?.apiKey : undefined,
      timeout: settings.timeout.value,
      connect: () => services.connect(checked, false),
    };
  };
  const activate = async (path: string) => {
    // Loaded at the first start alone: later ones activate nothing.
    const {completeCredentials} = await import('./first-start.js');
    return completeCredentials(path, flags, services, report);
  };
  const target = await heartbeatTarget(id, file, id === undefined ? activate : undefined);
  if (target.found !== undefined && flags.name !== undefined) {
    const {warnOfOtherName} = await import('../activate/result.js');
    warnOfOtherName(target.found, flags.name, file ?? '');
  }
  const readAgain = async () => open(await heartbeatTarget(id, file));
  return new LiveConnection(await open(target), readAgain, file, version);
}

/** A connector, the key of its credentials file, and how to reach its service. */
export interface Connection {
  readonly id: string;
  /** Undefined when the key comes from elsewhere. */
  readonly fileKey: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  readonly connect: () => Promise<Client>;
}

/** A connector whose credentials file may be replaced while heartbeats are sent. */
export class LiveConnection {
  #current: Connection;
  #client: Promise<Client> | undefined;
  readonly #readAgain: () => Promise<Connection>;
  readonly #file: string | undefined;
  /** Of the last file that was read. */
  #version: string | undefined;
  #isUnreadable = false;

  /**
   * @param readAgain reads the credentials file once more
   * @param file its path; undefined without one
   * @param version of the file before `first` was read from it; undefined if this process has just made it
   */
  constructor(
    first: Connection,
    readAgain: () => Promise<Connection>,
    file?: string,
    version = versionOf(file),
  ) {
    this.#current = first;
    this.#readAgain = readAgain;
    this.#file = file;
    this.#version = version;
  }

  get id(): string {
    return this.#current.id;
  }

  get timeout(): number {
    return this.#current.timeout;
  }

  async send(signal: AbortSignal): Promise<HeartbeatReading> {
    // The old key may be refused from now on.
    await this.renew();
    this.#client ??= this.#current.connect();
    const client = await this.#client;
    return client.sendHeartbeat(this.id, {signal});
  }

  /**
   * Continues with the credentials file when an operator has replaced its key. A file that cannot be read is looked at
   * again each time: its owner or its contents may still be on their way.
   *
   * @returns whether it has another key now
   */
  async renew(): Promise<boolean> {
    const {fileKey} = this.#current;
    const version = versionOf(this.#file);
    if (fileKey === undefined || version === this.#version) return false;
    let next: Connection;
    try {
      next = await this.#readAgain();
    } catch (error) {
      if (!this.#isUnreadable) {
        writeMessage(`Continuing with the key read earlier: ${escapeControl(reasonOf(error))}`);
      }
      this.#isUnreadable = true;
      return false;
    }
    this.#isUnreadable = false;
    this.#version = version;
    if (next.fileKey === undefined || next.fileKey === fileKey) return false;
    this.#current = next;
    this.#client = undefined;
    writeMessage(`The credentials file has another key; continuing as ${escapeControl(next.id)}.`);
    return true;
  }
}

/** Tells a file from its replacement; undefined while there is none that can be found. */
function versionOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const {ino, mtimeNs, ctimeNs} = statSync(path, {bigint: true});
    return `${ino} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return undefined;
  }
}

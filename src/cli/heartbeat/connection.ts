import {statSync} from 'node:fs';
import type {Client, HeartbeatReading} from '../../client/types.js';
import {escapeControl} from '../../render/escape.js';
import {reasonOf} from '../errors/system-error.js';
import {writeMessage} from '../terminal/streams.js';

/** A connector, the key of its credentials file, and how to reach its service. */
export interface Connection {
  readonly id: string;
  /** Undefined when the key comes from elsewhere. */
  readonly fileKey: string | undefined;
  readonly connect: () => Promise<Client>;
}

/** The connector of a process, which may get another key, or another id, while heartbeats are sent for it. */
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
   */
  constructor(first: Connection, readAgain: () => Promise<Connection>, file?: string) {
    this.#current = first;
    this.#readAgain = readAgain;
    this.#file = file;
    this.#version = versionOf(file);
  }

  get id(): string {
    return this.#current.id;
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

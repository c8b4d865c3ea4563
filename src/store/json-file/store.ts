import {type ConnectorScope, validityOf} from '../../domain/activation.js';
import type {StatusBounds} from '../../domain/liveness.js';
import type {ApiKeyRecord, ConnectorRecord} from '../../domain/records.js';
import type {Sender} from '../../domain/senders.js';
import {
  type Bounds,
  type Decide,
  type HeartbeatRecord,
  type ListRange,
  Store,
  type StoreMeasure,
} from '../store.js';
import {fileError} from './directory.js';
import {formatVersion} from './read.js';
import type {State} from './state.js';
import type {Disk, Writer} from './writer.js';

interface Parts {
  readonly state: State;
  /** Makes changes durable, and then visible. */
  readonly writer: Writer;
  readonly disk: Disk;
  /** Undefined without bounds. */
  readonly bounds: Bounds | undefined;
  readonly serverSecret: Uint8Array;
}

/** The store in a file of JSON lines. Reads come from memory, which holds what is on disk. */
export class JsonFileStore extends Store {
  readonly serverSecret: Uint8Array;
  readonly version = formatVersion;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    super();
    this.#parts = parts;
    this.serverSecret = parts.serverSecret;
  }

  get bounds(): Bounds | undefined {
    return this.#parts.bounds;
  }

  /** The parts, for the store itself, copies and benchmarks. @throws StoreError once the store is closing */
  opened(): Parts {
    this.requireOpen();
    return this.#parts;
  }

  protected transact<Answer>(decide: Decide<Answer>): Promise<Answer> {
    return this.#parts.writer.write(async (tx) => {
      const {answer, write} = await decide(tx);
      tx.write(write);
      return answer;
    });
  }

  async findApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.opened().state.apiKeyOf(hash);
  }

  async listApiKeys(): Promise<readonly ApiKeyRecord[]> {
    return [...this.opened().state.apiKeys.values()].sort(
      (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
    );
  }

  async listRevokedConnectors(): Promise<readonly ConnectorRecord[]> {
    return this.opened().state.connectors.revoked();
  }

  async findConnectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    const {connectors} = this.opened().state;
    return ids.flatMap((id) => connectors.get(id) ?? []);
  }

  async *listConnectors(
    organization: string,
    range: ListRange = {},
  ): AsyncGenerator<readonly ConnectorRecord[]> {
    yield* this.opened().state.connectors.batches(organization, range);
  }

  async recordHeartbeat(
    id: string,
    at: number,
    scope: ConnectorScope,
    sender?: Sender,
  ): Promise<HeartbeatRecord | undefined> {
    const {state, writer} = this.opened();
    const connector = state.connectors.get(id);
    if (connector === undefined || validityOf(connector, scope) !== 'valid') return undefined;
    if (sender !== undefined) state.connectors.recordSender(id, at, sender);
    if ((connector.lastHeartbeatAt ?? at - 1) >= at) return connector;
    const lastHeartbeatAt = await this.run(() => writer.write((tx) => tx.heartbeat(id, at)));
    if (lastHeartbeatAt === undefined) return undefined;
    return {id, lastHeartbeatAt, revokedAt: connector.revokedAt};
  }

  async measure(bounds: StatusBounds): Promise<StoreMeasure> {
    const {state, disk} = this.opened();
    const connectors = await state.connectors.count(bounds);
    return {connectors, bytes: disk.length, largest: state.usage.largest()};
  }

  async check(): Promise<void> {
    const {disk, writer} = this.opened();
    await disk.verifyLock();
    await writer.check();
  }

  /** Rewrites the file without overwritten records, as the store does on its own when the file has grown. */
  async compact(): Promise<void> {
    await this.opened().disk.compact();
  }

  protected async release(): Promise<void> {
    await this.#parts.disk.close().catch((error: unknown) => {
      throw fileError('the store cannot be closed', error);
    });
  }
}

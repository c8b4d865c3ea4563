import {randomBytes} from 'node:crypto';
import type {ConnectorRecord, TokenRecord} from '../../../src/domain/records.js';
import {toRecord} from '../../../src/store/json-file/connectors.js';
import {State} from '../../../src/store/json-file/state.js';
import {JsonFileStore} from '../../../src/store/json-file/store.js';
import {Writer} from '../../../src/store/json-file/writer.js';
import type {Decide, StoreError} from '../../../src/store/store.js';

/** A store without a file, which tests of the service can look into, and make fail. */
export class MemoryStore extends JsonFileStore {
  readonly state: State;
  /** When set, every call rejects with it. */
  failure: StoreError | undefined;
  isClosed = false;

  constructor() {
    const state = new State();
    const done = async () => {};
    const disk = {
      append: done,
      applied() {},
      length: 1024,
      verifyLock: done,
      compact: done,
      close: done,
    };
    const writer = new Writer(state, undefined, disk, () => 0);
    super({state, writer, disk, bounds: undefined, serverSecret: randomBytes(32)});
    this.state = state;
  }

  get tokens(): readonly TokenRecord[] {
    return [...this.state.tokens.values()];
  }

  get connectors(): readonly ConnectorRecord[] {
    return [...this.state.connectors.values()].map(toRecord);
  }

  override opened() {
    if (this.failure !== undefined) throw this.failure;
    return super.opened();
  }

  protected override async transact<Answer>(decide: Decide<Answer>): Promise<Answer> {
    this.opened();
    return super.transact(decide);
  }

  protected override async release(): Promise<void> {
    this.isClosed = true;
  }
}

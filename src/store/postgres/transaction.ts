import type {Changes} from '../../domain/changes.js';
import type {ApiKeyRecord, ConnectorRecord, TokenRecord} from '../../domain/records.js';
import type {Bounds, Transaction} from '../store.js';
import type {Allowance, OrganizationBounds} from './bounds.js';
import type {Run} from './database.js';
import {apiKeys, connectors, type TokenRow, tokens, toToken, toTokenRow} from './rows.js';
import {statements} from './statements.js';

/** PostgreSQL rejects NUL, and no id contains it. */
export const isPossible = (id: string): boolean => !id.includes('\0');

/** A transaction whose reads lock what they find until it ends. */
export class PostgresTransaction implements Transaction {
  readonly #run: Run;
  readonly #bounds: OrganizationBounds | undefined;
  readonly #reserved: Allowance[];

  /** @param reserved gets the allowances that the transaction uses */
  constructor(run: Run, bounds: OrganizationBounds | undefined, reserved: Allowance[]) {
    this.#run = run;
    this.#bounds = bounds;
    this.#reserved = reserved;
  }

  async apiKey(id: string): Promise<ApiKeyRecord | undefined> {
    return (await this.#run<ApiKeyRecord>(statements.lockApiKey, [id])).at(0);
  }

  async hasApiKeys(): Promise<boolean> {
    await this.#run(statements.lockStore);
    return (await this.#run(statements.findAnyApiKey)).length > 0;
  }

  async token(hash: string): Promise<TokenRecord | undefined> {
    const [row] = await this.#run<TokenRow>(statements.lockToken, [hash]);
    return row && toToken(row);
  }

  async connector(id: string): Promise<ConnectorRecord | undefined> {
    if (id === '' || !isPossible(id)) return undefined;
    return (await this.#run<ConnectorRecord>(statements.lockConnector, [id])).at(0);
  }

  /** The connectors with these ids. */
  connectors(ids: readonly string[]): Promise<readonly ConnectorRecord[]> {
    return this.#run<ConnectorRecord>(statements.lockConnectors, [ids.filter(isPossible)]);
  }

  async hasRoom(organization: string, kind: keyof Bounds): Promise<boolean> {
    if (this.#bounds === undefined) return true;
    const allowance = await this.#bounds.reserve(this.#run, organization, kind);
    if (allowance !== undefined) this.#reserved.push(allowance);
    return allowance !== undefined;
  }

  async write(changes: Changes): Promise<void> {
    for (const key of changes.apiKeys ?? []) await this.#run(apiKeys.write, apiKeys.values(key));
    for (const token of changes.tokens ?? [])
      await this.#run(tokens.write, tokens.values(toTokenRow(token)));
    for (const connector of changes.connectors ?? [])
      await this.#run(connectors.write, connectors.values(connector));
    const {removed = []} = changes;
    if (removed.length > 0) await this.#run(statements.removeConnectors, [removed]);
  }
}

import {activationOf, type Exchange, isRefusal, isSuccess} from './exchange.js';
import type {Listing} from './listing.js';

/** A connector that the run created. */
interface Created {
  /** The id that its activation returned. */
  readonly id: string | undefined;
  /** The id that the list shows for its name; read only if its activation returned none. */
  readonly listedId?: string | undefined;
  readonly credential: string | undefined;
}

/** A connector with a known id, so that its heartbeats can be sent. */
export type Sender = Pick<Created, 'credential'> & {readonly id: string};

/** The activations of a run: the connectors that they created, and the refused names. */
export class Activations {
  /** The names chosen for connectors of this run. */
  readonly #names = new Set<string>();
  /** The activated connectors of this run, by name. */
  readonly #created = new Map<string, Created>();
  readonly #refused = new Set<string>();
  readonly #accepted = new Set<string>();
  /** The number of connectors that were activated without a name. */
  nameless = 0;

  /** Adds a name for a connector of this run. */
  expect(name: string): void {
    this.#names.add(name);
  }

  note(
    exchange: Exchange,
    {token, name}: {readonly token?: unknown; readonly name?: string},
  ): void {
    if (name === undefined && isSuccess(exchange)) this.nameless += 1;
    if (name === undefined) return;
    if (isRefusal(exchange) && (exchange.response?.status ?? 0) < 500) this.#refused.add(name);
    if (!isSuccess(exchange)) return;
    this.#accepted.add(name);
    if (!this.#names.has(name) || this.#created.has(name)) return;
    const {connector, credential} = activationOf(exchange, String(token));
    this.#created.set(name, {id: connector?.id, credential: credential?.value});
  }

  /** The refused names that no activation was accepted with. */
  refusedNames(): string[] {
    return [...this.#refused].filter((name) => !this.#accepted.has(name));
  }

  createdNames(): string[] {
    return [...this.#created.keys()];
  }

  /** The ids that the activations returned. */
  returnedIds(): string[] {
    return [...this.#created.values()].flatMap(({id}) => id ?? []);
  }

  get lacksIds(): boolean {
    return [...this.#created.values()].some((one) => (one.id ?? one.listedId) === undefined);
  }

  /** Takes from a list the ids that activations did not return. */
  learnIds({connectors}: Listing): void {
    const ids = new Map(connectors.map(({id, fields}) => [fields.name, id]));
    for (const [name, one] of this.#created)
      if (one.id === undefined) this.#created.set(name, {...one, listedId: ids.get(name)});
  }

  /** The connectors whose ids are known. */
  known(): Sender[] {
    return [...this.#created.values()].flatMap(({id, listedId, credential}) => {
      const known = id ?? listedId;
      return known === undefined ? [] : [{id: known, credential}];
    });
  }

  /** The connectors that a list does not have, by name. */
  missingFrom({connectors}: Listing): string[] {
    const ids = new Set(connectors.map(({id}) => id));
    const names = new Set(connectors.map(({fields: {name}}) => name));
    // A service may change letters beyond ASCII, which another check covers.
    return [...this.#created].flatMap(([name, {id}]) => {
      const isListed = id === undefined ? names.has(name) || !/^[\w-]+$/.test(name) : ids.has(id);
      return isListed ? [] : name;
    });
  }
}

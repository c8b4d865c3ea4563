import {randomBytes} from 'node:crypto';
import {isSendable} from '../client/settings.js';
import {readIsoTime} from '../client/times.js';
import type {Operation} from '../contract/endpoints.js';
import {referenceId} from '../contract/limits.js';
import {Activations, type Sender} from './activations.js';
import {
  activationOf,
  type Exchange,
  idLack,
  isRefusal,
  isRefusedBody,
  isRefusedKey,
  isSuccess,
  jsonOf,
  whyNoSuccess,
} from './exchange.js';
import {fieldOf, type Listing, readDetails, type ShownConnector} from './listing.js';
import {
  type CheckOutcome,
  fail,
  Inconclusive,
  type Need,
  pass,
  requireSuccess,
  responseOf,
  skip,
} from './outcome.js';
import {RateLimitedSender, type SenderOptions} from './rate-limited-sender.js';

/** An activation token that no service issued. */
export const inventedToken = 'conformance-token-that-nobody-issued';
/** An id that no connector has. */
export const inventedId = 'conformance-no-such-connector';

/** The permissions of a run, and its keys. */
interface SessionOptions extends SenderOptions {
  readonly mayWrite: boolean;
  readonly maxConnectors: number;
  /** Maximum milliseconds to wait for the expiry of a token. */
  readonly patience: number;
}

/** A connector that the suite activated. */
export interface Activated {
  readonly name: string;
  readonly token: string;
  readonly exchange: Exchange;
  /** Its own credential, where the service sent one. */
  readonly credential: string | undefined;
}

/** Runs `make` at the first call, and returns its result at each call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A run of the suite against one service: responses that several checks share, and the created resources. */
export class Session extends RateLimitedSender {
  /** Part of the names of its connectors. */
  readonly run = randomBytes(3).toString('hex');
  readonly options: SessionOptions;
  readonly activations = new Activations();
  /** The operations of which even the correct request got no response. */
  readonly unanswered = new Set<Operation | undefined>();
  /** The time of the service. */
  time = {
    now: async () => Date.now(),
    /** Whether the run may let this many milliseconds pass. */
    canPass: (time: number) => time <= this.options.patience,
    letPass: (time: number): Promise<unknown> => this.options.wait(Math.max(0, time)),
  };
  /** Number of names given to connectors. */
  #count = 0;
  /** Whether an activation without a key has succeeded. */
  #needsNoKey = false;
  /** The ids of the connectors that sent a heartbeat. */
  readonly #beating = new Set<string>();

  constructor(options: SessionOptions) {
    super(options);
    this.options = options;
  }

  has(need: Need): boolean {
    if (need === 'writes') return this.options.mayWrite;
    return this.options[need === 'second-key' ? 'secondKey' : 'revokedKey'] !== undefined;
  }

  /** The exchange that created the first token, for every check of §4.1. */
  readonly firstCreation = once(() => this.call('createToken'));

  /** A new token. @throws Inconclusive when the service created none that can be read */
  async createToken() {
    return readCreated(await this.call('createToken'));
  }

  activate(token: string, name: string, headers: Readonly<Record<string, string>> = {}) {
    if (token !== inventedToken) this.secrets.add(token, 'TOKEN');
    return this.sendActivation({token, name}, headers);
  }

  /** Sends an activation with any content: without a key, and again with the key if the refusal may be about that. */
  async sendActivation(
    content: {readonly token?: unknown; readonly name?: string},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Exchange> {
    const body = JSON.stringify(content);
    const first = await this.call('activate', {key: 'none', body, headers});
    this.#needsNoKey ||= isSuccess(first);
    // The credentials of an operation are open (§5), and so is the status of a refusal (§7).
    const mayNeedKey = isRefusedKey(first) || (!this.#needsNoKey && isRefusal(first));
    const hasKey = this.options.client.apiKey !== undefined && content.token !== inventedToken;
    const again = mayNeedKey && hasKey ? await this.call('activate', {body, headers}) : first;
    const isEvaluated = isRefusedKey(first) ? !isRefusedKey(again) : isSuccess(again);
    const exchange = isEvaluated ? again : first;
    this.activations.note(exchange, content);
    return exchange;
  }

  /** A name for an activation that the service has to refuse. */
  refusedName(purpose: string): string {
    return `conformance-${this.run}-refused-${purpose}`;
  }

  /** The name for the next connector. @throws Inconclusive when the run must not create another one */
  nextName(suffix = ''): string {
    if (this.#count >= this.options.maxConnectors) {
      throw new Inconclusive(
        `the run may create no more than ${this.options.maxConnectors} connectors`,
      );
    }
    this.#count += 1;
    const name = `conformance-${this.run}-${this.#count}${suffix}`;
    this.activations.expect(name);
    return name;
  }

  /** The connector that most checks use. @throws Inconclusive when it could not be activated */
  readonly connector = once(async (): Promise<Activated> => {
    const {token} = readCreated(await this.firstCreation());
    const name = this.nextName();
    const exchange = await this.activate(token, name);
    const credential = activationOf(exchange, token).credential?.value;
    return {name, token, exchange, credential};
  });

  /** `connector`, if its activation succeeded. @throws Inconclusive */
  async activated(): Promise<Activated> {
    const connector = await this.connector();
    requireSuccess(connector.exchange, 'no connector could be activated');
    return connector;
  }

  /** The id of `connector`: from its activation, else from the list. @throws Inconclusive */
  readonly activatedId = once(async () => {
    const {exchange, name, token} = await this.activated();
    const own = activationOf(exchange, token).connector?.id;
    if (own !== undefined) return own;
    const id = (await this.listed('name', name)).connector?.id;
    if (id === undefined) throw new Inconclusive(idLack);
    return id;
  });

  /**
   * Connectors of this run whose ids are known; activates more, within the permissions of the run. @throws Inconclusive
   */
  async several(count: number, isMeant: (id: string) => boolean = () => true): Promise<Sender[]> {
    for (let before = -1; ; ) {
      if (this.activations.lacksIds) this.activations.learnIds(await this.readList('own'));
      const found = this.activations.known().filter(({id}) => isMeant(id));
      if (found.length >= count) return found.slice(0, count);
      if (found.length <= before)
        throw new Inconclusive('the id of an activated connector is not known');
      before = found.length;
      const {token} = await this.createToken();
      const name = this.nextName();
      requireSuccess(await this.activate(token, name), 'no connector could be activated');
    }
  }

  /** Two connectors of this run that have sent no heartbeat. @throws Inconclusive */
  silentPair(): Promise<Sender[]> {
    return this.several(2, (id) => !this.#beating.has(id));
  }

  /** The number of connectors that several activations with one token created; undefined when no response shows it. */
  async countActivated(
    token: string,
    exchanges: readonly Exchange[],
    names: readonly string[],
  ): Promise<number | undefined> {
    const ids = exchanges.map((one) => activationOf(one, token).connector?.id);
    const different = new Set(ids.filter((id) => id !== undefined)).size;
    if (different > 1) return different;
    const isMeant = ({fields}: ShownConnector) => names.includes(String(fields.name));
    const {connectors} = await this.readList('own');
    const listed = new Set(connectors.filter(isMeant).map(({id, fields}) => id ?? fields.name))
      .size;
    return Math.max(listed, ids.includes(undefined) ? 0 : different) || undefined;
  }

  /** The list, and the connector in it that has this id or this name, if there is one. */
  async listed(field: 'id' | 'name', value: string) {
    const isMeant = ({id, fields}: ShownConnector) => (field === 'id' ? id : fields.name) === value;
    const listing = await this.listUntil(({connectors}) => connectors.some(isMeant));
    return {listing, connector: listing.connectors.find(isMeant)};
  }

  /** The list; reads it again for some seconds until it is as expected, since a list may lag behind. */
  async listUntil(isExpected: (listing: Listing) => boolean): Promise<Listing> {
    for (let attempt = 0; ; attempt += 1) {
      const listing = await this.readList('own');
      if (listing.unread !== undefined || attempt === 3 || isExpected(listing)) return listing;
      await this.options.wait(1000);
    }
  }

  /** The list as it was at the first request. */
  readonly listing = once(() => this.readList('own'));

  /** The list once there are two connectors of this run, if possible. @throws Inconclusive when it shows no connector */
  readonly filledListing = once(async () => {
    const first = await this.listing();
    if (first.isFaulty || (first.connectors.length === 0 && first.unread !== undefined))
      throw new Inconclusive(`the list could not be read: ${first.unread}`);
    // A failure only leaves the checks with fewer connectors.
    if (this.options.mayWrite) await this.several(2).catch(() => undefined);
    const listing = this.options.mayWrite ? await this.readList('own') : first;
    if (listing.connectors.length === 0) throw new Inconclusive('the list holds no connector');
    return listing;
  });

  /** A connector to read: the activated one, else the first of the list. @throws Inconclusive */
  readonly readableConnector = once(
    async (): Promise<{readonly id: string; readonly name: unknown}> => {
      if (this.options.mayWrite) {
        const {name} = await this.activated();
        return {id: await this.activatedId(), name};
      }
      const {connectors} = await this.filledListing();
      const first = connectors.find(({id}) => id !== undefined);
      if (first?.id === undefined) throw new Inconclusive(idLack);
      return {id: first.id, name: first.fields.name};
    },
  );

  /** The response to reading `readableConnector`. */
  readonly readOne = once(async () => {
    const {id} = await this.readableConnector();
    return this.call('get', {id});
  });

  /** The first heartbeat of `connector`. */
  readonly heartbeat = once(() => this.sendHeartbeat());

  /** Sends a heartbeat of `connector`. */
  async sendHeartbeat(): Promise<Exchange> {
    const {credential} = await this.activated();
    return this.beat({id: await this.activatedId(), credential});
  }

  /** Sends a heartbeat with the connector's credential; without one, or if refused, with the organization's key. */
  async beat({id, credential}: Sender): Promise<Exchange> {
    this.#beating.add(id);
    const keys = [...(isSendable(credential) ? [{text: credential}] : []), 'own' as const];
    let result: Exchange | undefined;
    // The interface leaves open the credential of a heartbeat (§5), its body (§4.5) and the refusal of both (§7).
    for (const key of keys) {
      const bare = await this.call('heartbeat', {id, key});
      const body = '{}';
      const sent = isRefusedBody(bare) ? await this.call('heartbeat', {id, key, body}) : bare;
      if (result === undefined || isRefusedKey(result) || isSuccess(sent)) result = sent;
      if (!isRefusal(sent)) break;
    }
    return result as Exchange;
  }

  /** The response to an activation with an invented token. */
  readonly unknownToken = once(() => this.activate(inventedToken, this.refusedName('token')));

  /** The response to an activation without a token. */
  readonly withoutToken = once(() =>
    this.sendActivation({name: this.refusedName('without-token')}),
  );

  /** The response to a request for the list without a key. */
  readonly withoutKey = once(() => this.call('list', {key: 'none'}));

  /** The response to a body that is incomplete JSON. */
  readonly invalidJson = once(() => this.call('activate', {body: '{"token": '}));

  /** The response to a body of 1 MiB that is incomplete JSON too. */
  readonly largeBody = once(() =>
    this.call('activate', {body: `{"token": "${'x'.repeat(1024 * 1024)}`}),
  );

  readonly unknownId = once(() => this.call('get', {id: inventedId}));

  /** Correct requests to compare with: if the service refuses one of them too, a refusal proves nothing. */
  readonly #accepted: Readonly<Record<Operation, () => Promise<Exchange>>> = {
    createToken: () => this.firstCreation(),
    activate: async () => (await this.connector()).exchange,
    list: async () => (await this.listing()).exchange,
    get: () => this.readOne(),
    heartbeat: () => this.heartbeat(),
  };

  /**
   * Evaluates a request that a service has to refuse.
   *
   * @param wrong the observation if it is not refused
   * @throws Inconclusive
   */
  async evaluateRefusal(sent: Exchange | Promise<Exchange>, wrong: string): Promise<CheckOutcome> {
    const exchange = await sent;
    const {status} = responseOf(exchange);
    if (!isRefusal(exchange)) return fail(wrong, exchange);
    if (status >= 500)
      return skip(`the service fails with ${status}, so its response proves nothing`, exchange);
    const {operation = 'list'} = exchange.call;
    const reason = whyNoSuccess(await this.#accepted[operation]());
    if (reason === undefined) return pass(`refused with ${status}`, exchange);
    return skip(
      `refused with ${status}, which proves nothing: the correct request fails too (${reason})`,
      exchange,
    );
  }

  /** The record of a connector now. @throws Inconclusive */
  async record(id: string): Promise<ShownConnector> {
    const exchange = await this.call('get', {id});
    if (!isSuccess(exchange)) throw new Inconclusive('the connector cannot be read', exchange);
    return readDetails(exchange);
  }
}

/** Whether a run leaves connectors in a store of the reference service. */
export function leavesConnectors({activations}: Session): boolean {
  return activations.known().some(({id}) => referenceId.test(id));
}

/** Reads a created token and its expiry. @throws Inconclusive when the response has no token */
export function readCreated(exchange: Exchange) {
  requireSuccess(exchange, 'no token could be created');
  const body = jsonOf(exchange) ?? null;
  const token = fieldOf(body, 'token');
  if (typeof token !== 'string' || token === '') {
    throw new Inconclusive('no token could be created: the response has no `token`');
  }
  const expiresAt = readIsoTime(fieldOf(body, 'expires_at') ?? null, true);
  return {token, expiresAt, exchange};
}

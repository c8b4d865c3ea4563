import {randomBytes} from 'node:crypto';
import {readActivation} from '../client/read/responses.js';
import {isSendable} from '../client/settings.js';
import {readIsoTime} from '../client/times.js';
import {referenceId} from '../contract/limits.js';
import {type Exchange, idLack} from './exchange.js';
import {fieldOf, type Listing, type ShownConnector} from './listing.js';
import {Inconclusive, requireSuccess} from './outcome.js';
import {Sender} from './sender.js';

/** An activation token that no service issued. */
export const inventedToken = 'conformance-token-that-nobody-issued';
/** An id that no connector has. */
export const inventedId = 'conformance-no-such-connector';

/** An activation that was sent, and what its response holds. */
export interface Activation {
  /** Undefined: it was sent without one. */
  readonly name: string | undefined;
  readonly exchange: Exchange;
  readonly id: string | undefined;
  /** The connector's own credential, where the service sent one. */
  readonly credential: string | undefined;
}

/** A connector with a known id, so that its heartbeats can be sent. */
type Beating = Pick<Activation, 'credential'> & {readonly id: string};

/** Runs `make` at the first call, and returns its result at each call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A run of the suite against one service: responses that several checks share, and the created resources. */
export class Session extends Sender {
  /** The random part of the names of this run's connectors. */
  readonly run = randomBytes(3).toString('hex');
  /** All activations that were sent. */
  readonly activations: Activation[] = [];
  /** The clock of this machine, or the virtual one of the service. */
  time = {
    isVirtual: false,
    now: async () => Date.now(),
    /** Whether the run may let this many milliseconds pass. */
    canPass: (time: number) => time <= this.options.patience,
    letPass: (time: number): Promise<unknown> => this.options.wait(Math.max(0, time)),
  };
  /** The names chosen for connectors of this run. */
  readonly #names: string[] = [];
  /** Whether an activation without a key has succeeded. */
  #needsNoKey = false;

  /** The attempt to create the first token, for most checks of §4.1 and for `connector`. */
  readonly firstCreation = once(() => this.call('createToken'));

  /** A new token. @throws Inconclusive when the service created none that can be read */
  async createToken() {
    return readCreated(await this.call('createToken'));
  }

  /** Sends an activation with any content: without a key, and again with the key if the refusal may be about that. */
  async activate(content: {token?: unknown; name?: string}): Promise<Activation> {
    const {token, name} = content;
    const sent = {body: JSON.stringify(content)};
    const first = await this.call('activate', {...sent, key: 'none'});
    this.#needsNoKey ||= first.isSuccess;
    // The credentials of an operation are open (§5), and so is the status of a refusal (§7).
    const mayNeedKey = first.isRefusedKey || (!this.#needsNoKey && first.isRefusal);
    const hasKey = this.options.client.apiKey !== undefined && token !== inventedToken;
    const again = mayNeedKey && hasKey ? await this.call('activate', sent) : first;
    const isEvaluated = first.isRefusedKey ? !again.isRefusedKey : again.isSuccess;
    const exchange = isEvaluated ? again : first;
    const body = exchange.json;
    const {connector, credential} = readActivation(body, String(token), exchange.response);
    const activation = {name, exchange, id: connector?.id, credential: credential?.value};
    this.activations.push(activation);
    return activation;
  }

  /** A name for an activation that the service has to refuse. */
  refusedName(purpose: string): string {
    return `conformance-${this.run}-refused-${purpose}`;
  }

  /** The name for the next connector. @throws Inconclusive when the run must not create another one */
  nextName(suffix = ''): string {
    const {maxConnectors: most} = this.options;
    if (this.#names.length >= most)
      throw new Inconclusive(`the run may create no more than ${most} connectors`);
    const name = `conformance-${this.run}-${this.#names.length + 1}${suffix}`;
    this.#names.push(name);
    return name;
  }

  /** The connectors that this run activated, one for each chosen name. */
  created(): (Activation & {readonly name: string})[] {
    return this.#names.flatMap((name) => {
      const found = this.activations.find((one) => one.name === name && one.exchange.isSuccess);
      return found === undefined ? [] : [{...found, name}];
    });
  }

  /** Whether the run leaves connectors in a store of the reference service. */
  leavesConnectors(): boolean {
    return !this.time.isVirtual && this.created().some(({id = ''}) => referenceId.test(id));
  }

  /** The activation that most checks use, perhaps refused. @throws Inconclusive without a token, or at the limit */
  readonly connector = once(async () => {
    const {token} = readCreated(await this.firstCreation());
    const name = this.nextName();
    return {...(await this.activate({token, name})), token, name};
  });

  /** `connector`, if its activation succeeded. @throws Inconclusive */
  async activated() {
    const connector = await this.connector();
    requireSuccess(connector.exchange, 'no connector could be activated');
    return connector;
  }

  /** The id of `connector`: from its activation, else from the list. @throws Inconclusive */
  readonly activatedId = once(async () => {
    const {id, name} = await this.activated();
    const found = id ?? (await this.listed('name', name)).connector?.id;
    if (found === undefined) throw new Inconclusive(idLack);
    return found;
  });

  /** The connectors of this run whose ids an activation or the list shows. */
  async #known(): Promise<Beating[]> {
    const created = this.created();
    const isComplete = created.every(({id}) => id !== undefined);
    const connectors = isComplete ? [] : (await this.readList()).connectors;
    const ids = new Map(connectors.map(({id, fields}) => [fields.name, id]));
    return created.flatMap(({name, id = ids.get(name), credential}) =>
      id === undefined ? [] : [{id, credential}],
    );
  }

  /** Connectors with known ids; activates more, within the permissions of the run. @throws Inconclusive */
  async several(count: number, isMeant: (id: string) => boolean = () => true): Promise<Beating[]> {
    for (let before = -1; ; ) {
      const found = (await this.#known()).filter(({id}) => isMeant(id));
      if (found.length >= count) return found.slice(0, count);
      if (found.length <= before)
        throw new Inconclusive('the id of an activated connector is not known');
      before = found.length;
      const {token} = await this.createToken();
      const {exchange} = await this.activate({token, name: this.nextName()});
      requireSuccess(exchange, 'no connector could be activated');
    }
  }

  /** The list, and its connector with this id or this name; undefined if it has none. */
  async listed(field: 'id' | 'name', value: string) {
    const isMeant = ({id, fields}: ShownConnector) => (field === 'id' ? id : fields.name) === value;
    const listing = await this.listUntil(({connectors}) => connectors.some(isMeant));
    return {listing, connector: listing.connectors.find(isMeant)};
  }

  /** The list; reads it again for some seconds until it is as expected, since a list may lag. */
  async listUntil(isExpected: (listing: Listing) => boolean): Promise<Listing> {
    for (let attempt = 0; ; attempt += 1) {
      const listing = await this.readList();
      if (listing.unread !== undefined || attempt === 3 || isExpected(listing)) return listing;
      await this.options.wait(1000);
    }
  }

  /** The list as it was at the first call. */
  readonly listing = once(() => this.readList());

  /** The list once there are two connectors of this run, if possible. @throws Inconclusive if unreadable or empty */
  readonly filledListing = once(async () => {
    const first = await this.listing();
    if (first.isFaulty || (first.connectors.length === 0 && first.unread !== undefined))
      throw new Inconclusive(`the list could not be read: ${first.unread}`);
    // A failure only leaves the checks with fewer connectors.
    if (this.options.mayWrite) await this.several(2).catch(() => undefined);
    const listing = this.options.mayWrite ? await this.readList() : first;
    if (listing.connectors.length === 0) throw new Inconclusive('the list holds no connector');
    return listing;
  });

  /** A connector to read: the activated one; without `writes` the first with an id in the list. @throws Inconclusive */
  readonly readableConnector = once(async () => {
    if (this.options.mayWrite) {
      const {name} = await this.activated();
      return {id: await this.activatedId(), name};
    }
    const {connectors} = await this.filledListing();
    const first = connectors.find(({id}) => id !== undefined);
    if (first?.id === undefined) throw new Inconclusive(idLack);
    return {id: first.id, name: first.fields.name};
  });

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
  async beat({id, credential}: Beating): Promise<Exchange> {
    const keys = [...(isSendable(credential) ? [{text: credential}] : []), 'own' as const];
    let result: Exchange | undefined;
    // The interface leaves open the credential of a heartbeat (§5), its body (§4.5) and the refusal of both (§7).
    for (const key of keys) {
      const bare = await this.call('heartbeat', {id, key});
      const body = '{}';
      const sent = bare.isRefusedBody ? await this.call('heartbeat', {id, key, body}) : bare;
      if (result === undefined || result.isRefusedKey || sent.isSuccess) result = sent;
      if (!sent.isRefusal) break;
    }
    return result as Exchange;
  }

  /** The response to an activation with an invented token. */
  readonly unknownToken = once(async () => {
    const name = this.refusedName('token');
    return (await this.activate({token: inventedToken, name})).exchange;
  });

  /** The response to a request for the list without a key. */
  readonly withoutKey = once(() => this.call('list', {key: 'none'}));

  /** The response to a body that is incomplete JSON. */
  readonly invalidJson = once(() => this.call('activate', {body: '{"token": '}));

  readonly unknownId = once(() => this.call('get', {id: inventedId}));
}

/** Reads a created token and its expiry. @throws Inconclusive when the response has no token */
export function readCreated(exchange: Exchange) {
  requireSuccess(exchange, 'no token could be created');
  const body = exchange.json ?? null;
  const token = fieldOf(body, 'token');
  if (typeof token !== 'string' || token === '') {
    throw new Inconclusive('no token could be created: the response has no `token`');
  }
  const expiresAt = readIsoTime(fieldOf(body, 'expires_at') ?? null, true);
  return {token, expiresAt, exchange};
}

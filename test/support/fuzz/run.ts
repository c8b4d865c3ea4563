import {expect} from 'chai';
import fc from 'fast-check';
import type {LightMyRequestResponse} from 'fastify';
import type {Listener} from '../../../src/server/net/listener.js';
import {expectDocumented} from '../server/openapi-check.js';
import {listeningService, type Service} from '../server/service.js';
import {type FuzzRequest, fuzzRequest} from './requests.js';
import {encode, exchange, parseResponses} from './wire.js';

/** Number of requests, and of responses by kind. */
interface FuzzResult {
  readonly requests: number;
  /** Responses by method and status. */
  readonly responses: Readonly<Record<string, number>>;
}

/** Number of simultaneous connections. */
const lanes = 8;

/** Rounds after which the connectors are removed. */
const cleanUpRounds = 20;

/**
 * Sends at least this many requests to a service on a real socket, one to three per connection, and
 * checks every response: it is documented, not a 5xx, and has no data of another organization.
 *
 * @throws for an unexpected response, with the requests that led to it
 */
export async function fuzz(requests: number, seed: number): Promise<FuzzResult> {
  const activationFailureLimit = Number.POSITIVE_INFINITY;
  const {service, listener} = await listeningService({}, {activationFailureLimit});
  try {
    return await new Fuzzer(service, listener).run(requests, seed);
  } finally {
    await listener.close();
  }
}

class Fuzzer {
  readonly #responses = new Map<string, number>();
  readonly #live = new Map<string, string>();
  #sent = 0;

  constructor(
    private readonly service: Service,
    private readonly listener: Listener,
  ) {}

  async run(requests: number, seed: number): Promise<FuzzResult> {
    const {id, key} = await this.service.connector();
    const otherKey = await this.service.addKey('umbrella');
    const foreign = await this.service.connector('their-secret-name', {key: otherKey});
    this.#live.set('OWN_ID', id).set('FOREIGN_ID', foreign.id);
    this.#live.set('ORGANIZATION_KEY', this.service.key).set('CONNECTOR_KEY', key);
    for (let round = 0; this.#sent < requests; round += 1) {
      await this.#refresh(round);
      const sample = fc.sample(fc.array(fuzzRequest, {minLength: 1, maxLength: 3}), {
        numRuns: lanes * 16,
        seed: seed + round,
      });
      await Promise.all(
        Array.from({length: lanes}, async (_, lane) => {
          for (const batch of sample.filter((_, index) => index % lanes === lane)) {
            await this.#send(batch);
          }
        }),
      );
    }
    const responses = Object.fromEntries([...this.#responses].sort());
    return {requests: this.#sent, responses};
  }

  /** Creates a new token, and sometimes removes connectors: long lists would dominate the run. */
  async #refresh(round: number): Promise<void> {
    this.#live.set('FRESH_TOKEN', await this.service.token());
    if (round % cleanUpRounds !== 0) return;
    for (const [id, record] of this.service.store.connectors) {
      if (record.name !== 'their-secret-name' && id !== this.#live.get('OWN_ID')) {
        this.service.store.connectors.delete(id);
      }
    }
  }

  #fill(bytes: Buffer): Buffer {
    let text = bytes.toString('latin1');
    for (const [word, value] of this.#live) text = text.replaceAll(word, value);
    return Buffer.from(text, 'latin1');
  }

  async #send(batch: readonly FuzzRequest[]): Promise<void> {
    const bytes = batch.map((request, index) =>
      this.#fill(encode(request, index === batch.length - 1)),
    );
    this.#sent += batch.length;
    try {
      const methods = batch.map(({method}) => method);
      const responses = parseResponses(
        await exchange(this.listener.url, Buffer.concat(bytes)),
        methods,
      );
      expect(responses, 'responses').to.have.length.within(1, batch.length);
      for (const [index, response] of responses.entries()) this.#check(batch[index]!, response);
    } catch (error) {
      const shown = bytes.map((part) => JSON.stringify(part.toString('latin1').slice(0, 2000)));
      throw new Error(`${error}\nafter ${shown.join('\nand   ')}`, {cause: error});
    }
  }

  #check({method, target}: FuzzRequest, response: ReturnType<typeof parseResponses>[number]): void {
    const {statusCode, payload} = response;
    const key = `${method} ${statusCode}`;
    this.#responses.set(key, (this.#responses.get(key) ?? 0) + 1);
    expect(statusCode, payload).to.be.within(200, 499);
    expect(payload).not.to.include('their-secret-name');
    expect(payload).not.to.include('umbrella');
    if (method === 'HEAD') return;
    const url = this.#fill(Buffer.from(target)).toString();
    expectDocumented(method, url, response as unknown as LightMyRequestResponse);
  }
}

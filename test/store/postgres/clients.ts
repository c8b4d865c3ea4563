import {randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {expect} from 'chai';
import pLimit from 'p-limit';
import {
  type ActivatedConnector,
  type ActivationToken,
  type Connector,
  fillPath,
  type Heartbeat,
  headers,
  type Problem,
  routes,
} from '../../../src/contract/index.js';
import {call, type Response} from '../../support/postgres/call.js';

/** A response that no client should get. */
interface Complaint {
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** An activation token and, once the service has acknowledged its activation, the connector. */
interface Attempt {
  readonly token: string;
  readonly idempotencyKey: string;
  readonly name: string;
  activated?: ActivatedConnector;
  /** The latest heartbeat that was acknowledged. */
  lastHeartbeatAt?: string;
}

/**
 * Clients of a service that retry temporary failures without limit. They remember every acknowledged
 * change, so that `verify` can compare it with what the service holds later.
 */
export class RetryingClients {
  readonly attempts: Attempt[] = [];
  readonly complaints: Complaint[] = [];
  /** Errors that stopped a client early. */
  readonly failures: unknown[] = [];
  /** Number of responses that asked the client to retry. */
  deferred = 0;
  /** Number of responses that acknowledged a change. */
  acknowledged = 0;
  readonly #base: string;
  readonly #key: string;
  readonly #workers: Promise<void>[] = [];
  #isStopping = false;
  #acknowledgedAt = 0;
  #longestPause = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  /** @param pause milliseconds that each client waits between two connectors */
  start(workers: number, pause = 0): void {
    this.#acknowledgedAt = performance.now();
    for (let worker = 0; worker < workers; worker += 1) {
      this.#workers.push(
        this.#work(pause).catch((error: unknown) => void this.failures.push(error)),
      );
    }
  }

  /** Resolves after a number of further acknowledgments. */
  async acknowledges(more: number): Promise<void> {
    const wanted = this.acknowledged + more;
    while (this.acknowledged < wanted) await this.#nextResponse();
  }

  /** Resolves after a number of further responses that asked to retry. */
  async defers(more: number): Promise<void> {
    const wanted = this.deferred + more;
    while (this.deferred < wanted) await this.#nextResponse();
  }

  /** The longest time in milliseconds without an acknowledgment since the previous call. */
  takeLongestPause(): number {
    const pause = this.#longestPause;
    this.#longestPause = 0;
    return pause;
  }

  /** Stops the clients after their current connector. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#workers);
  }

  /**
   * Compares what was acknowledged to the clients with what a service holds: exactly their connectors, with
   * their heartbeats, and every token, by redeeming it.
   */
  async verify(base: string): Promise<void> {
    const key = this.#key;
    const {body} = await call<Connector[]>(base, routes.list.path, {key});
    const listed = new Map(body.map((connector) => [connector.id, connector]));
    for (const {activated, lastHeartbeatAt} of this.attempts) {
      if (activated === undefined) continue;
      const held = listed.get(activated.id);
      expect(held?.name).to.equal(activated.name);
      if (lastHeartbeatAt === undefined) continue;
      expect(held!.last_heartbeat_at! >= lastHeartbeatAt).to.equal(true);
    }
    // More at once would overload the service on a busy machine.
    const limit = pLimit(32);
    await Promise.all(this.attempts.map((attempt) => limit(() => this.#tryToken(base, attempt))));
    const {body: after} = await call<Connector[]>(base, routes.list.path, {key});
    expect(after).to.have.length(this.attempts.length);
  }

  /** Used tokens return the same connector for the same Idempotency-Key only; unused tokens still work. */
  async #tryToken(base: string, {token, name, idempotencyKey, activated}: Attempt): Promise<void> {
    const activate = async (more = {}): Promise<Response<ActivatedConnector>> => {
      for (;;) {
        const response = await call<ActivatedConnector>(base, routes.activate.path, {
          key: this.#key,
          body: {token, name},
          ...more,
        });
        // On a busy machine, some of the simultaneous requests are deferred.
        if (!saysTryAgain(response)) return response;
        await delay(50);
      }
    };
    const {status, body} = await activate({idempotencyKey});
    expect(status).to.equal(201);
    if (activated === undefined) return;
    expect(body).to.deep.include({id: activated.id, api_key: activated.api_key});
    expect((await activate()).status).to.equal(409);
  }

  #acknowledge(): void {
    const now = performance.now();
    this.#longestPause = Math.max(this.#longestPause, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.acknowledged += 1;
  }

  #nextResponse(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Creates two tokens in each round and redeems one; `verify` redeems the other. */
  async #work(pause: number): Promise<void> {
    while (!this.#isStopping) {
      await delay(pause);
      await this.#createToken();
      const attempt = await this.#createToken();
      const {token, name, idempotencyKey} = attempt;
      const activated = await this.#insist<ActivatedConnector>(
        routes.activate.path,
        {token, name},
        idempotencyKey,
      );
      attempt.activated = activated;
      for (let beat = 0; beat < 3; beat += 1) {
        const path = fillPath(routes.heartbeat.path, {id: activated.id});
        const {last_heartbeat_at: at} = await this.#insist<Heartbeat>(path, {}, undefined);
        attempt.lastHeartbeatAt = at;
      }
    }
  }

  async #createToken(): Promise<Attempt> {
    const {token} = await this.#insist<ActivationToken>(routes.createToken.path, {}, undefined);
    const attempt: Attempt = {token, idempotencyKey: randomUUID(), name: randomUUID()};
    this.attempts.push(attempt);
    return attempt;
  }

  async #insist<Body>(path: string, body: object, idempotencyKey?: string): Promise<Body> {
    for (;;) {
      const response = await call<Body>(this.#base, path, {
        key: this.#key,
        body,
        ...(idempotencyKey && {idempotencyKey}),
      });
      const isDone = response.status < 300;
      if (isDone) this.#acknowledge();
      else if (saysTryAgain(response)) this.deferred += 1;
      else this.complaints.push({path, status: response.status, body: response.body});
      for (const resolve of this.#waiting.splice(0)) resolve();
      if (isDone) return response.body;
      if (!saysTryAgain(response)) throw new Error(`${path} returned ${response.status}`);
    }
  }
}

/** Whether a response has everything that a temporary failure must have. */
function saysTryAgain(response: Response<unknown>): boolean {
  const {code} = response.body as Problem;
  return (
    response.status === 503 &&
    response.headers.get(headers.retryAfter) !== null &&
    code === 'store_unavailable'
  );
}

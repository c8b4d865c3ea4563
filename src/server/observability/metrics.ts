import {statfs} from 'node:fs/promises';
import {getHeapStatistics} from 'node:v8';
import {Counter, collectDefaultMetrics, Gauge, Histogram, Registry} from 'prom-client';
import {problems} from '../../contract/index.js';
import type {Bounds, StoreMeasure} from '../../store/store.js';

/** The measurements of a store that the metrics show. */
export interface Measure extends StoreMeasure {
  /** The next expiry of a valid API key, in milliseconds since the Unix epoch; undefined if none expires. */
  readonly keyExpiry: number | undefined;
  /** The bounds of each organization; undefined for none. */
  readonly bounds: Bounds | undefined;
}

/** Histogram bounds in seconds: most responses take a few milliseconds, a slow disk or a long list much more. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const writeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Methods that may become a label value; the others that Node accepts, such as PROPFIND, count as `other`. */
const methods: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '));

/**
 * Prometheus metrics of one service, for contrib/prometheus and contrib/grafana. No label holds an organization, a
 * connector, a key or an address: readers learn quantities, but not whose.
 */
export class Metrics {
  readonly #registry = new Registry();
  #certificateExpiresAt: number | undefined;
  readonly #requests = new Histogram({
    name: 'connectorctl_http_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its response, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: requestBuckets,
    registers: [this.#registry],
  });
  readonly writes = new Histogram({
    name: 'connectorctl_store_write_duration_seconds',
    help: 'Duration of a durable write: to the disk with its sync, or a transaction of the database',
    buckets: writeBuckets,
    registers: [this.#registry],
  });
  readonly problems = new Counter({
    name: 'connectorctl_problems_total',
    help: 'Refused and failed requests by problem code, including those over a limit',
    labelNames: ['code'],
    registers: [this.#registry],
  });

  constructor() {
    // Each counter starts at 0: `increase()` misses the first event of a counter that appears with it.
    for (const code of Object.keys(problems)) this.problems.inc({code}, 0);
    this.#gauge(
      'connectorctl_tls_certificate_expiry_timestamp_seconds',
      'Expiry of the certificate in use, in seconds since the Unix epoch',
      async () => this.#certificateExpiresAt && this.#certificateExpiresAt / 1000,
    );
  }

  /** Adds a gauge, which is absent while its value is undefined. With a label, it has one series for each key. */
  #gauge(
    name: string,
    help: string,
    read: () => Promise<number | undefined | Readonly<Record<string, number>>>,
    label?: string,
  ): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.#registry],
      async collect() {
        const current = await read();
        gauge.reset();
        // The reset leaves a gauge without a label at 0.
        gauge.remove({});
        if (typeof current === 'number') gauge.set(current);
        else
          for (const [key, value] of Object.entries(current ?? {}))
            gauge.set({[label ?? '']: key}, value);
      },
    });
  }

  /** Adds a gauge of the free space, in bytes, of the file system that holds a store's directory. */
  disk(directory: string): void {
    this.#gauge(
      'connectorctl_store_free_bytes',
      'Free space of the file system that holds the store (JSON file store)',
      async () => {
        const disk = await statfs(directory).catch(() => undefined);
        return disk && disk.bavail * disk.bsize;
      },
    );
  }

  /** Adds metrics of the process. */
  measureProcess(): void {
    collectDefaultMetrics({register: this.#registry});
    // These gauges are named like counters, and the gauges by type hold the same values.
    for (const what of ['handles', 'requests', 'resources']) {
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
    this.#gauge(
      'connectorctl_heap_limit_bytes',
      'Size of the heap at which the process ends',
      async () => getHeapStatistics().heap_size_limit,
    );
  }

  /**
   * Adds the measurements of a store.
   *
   * @param measureStore called several times for each scrape; undefined while the store is not available
   * @param countUnknown called for each scrape; see `UnknownConnectors`
   */
  watch(measureStore: () => Promise<Measure | undefined>, countUnknown: () => number): void {
    this.#gauge(
      'connectorctl_unknown_connectors',
      'Connectors, up to 1,000, removed or lost in a restore, whose heartbeats this process refused within the last hour',
      async () => countUnknown(),
    );
    // All gauges are collected concurrently, so none may rely on a value that another one fetched.
    this.#gauge(
      'connectorctl_store_ready',
      'Whether the store can be read and written: 1 or 0',
      async () => ((await measureStore()) === undefined ? 0 : 1),
    );
    this.#gauge(
      'connectorctl_store_bytes',
      'Size of the store on disk: its file, or its tables and their indexes',
      async () => (await measureStore())?.bytes ?? undefined,
    );
    this.#gauge(
      'connectorctl_api_key_expiry_timestamp_seconds',
      'Next expiry of a valid API key, in seconds since the Unix epoch',
      async () => {
        const {keyExpiry} = (await measureStore()) ?? {};
        return keyExpiry && keyExpiry / 1000;
      },
    );
    this.#gauge(
      'connectorctl_connectors',
      'Connectors of all organizations, by status',
      async () => (await measureStore())?.connectors ?? {},
      'status',
    );
    this.#gauge(
      'connectorctl_organization_usage_ratio',
      'Highest share of its bound that an organization uses, by kind of record',
      async () => {
        const {bounds, largest} = (await measureStore()) ?? {};
        if (bounds === undefined || largest === undefined) return {};
        return {
          tokens: largest.tokens / bounds.tokens,
          connectors: largest.connectors / bounds.connectors,
        };
      },
      'kind',
    );
  }

  /** Records when the certificate expires, in milliseconds since the Unix epoch. */
  certificate(expiresAt: number): void {
    this.#certificateExpiresAt = expiresAt;
  }

  request(route: string, method: string, status: number | 'none', seconds: number): void {
    const known = methods.has(method) ? method : 'other';
    this.#requests.observe({route, method: known, status}, seconds);
  }

  /** Returns all metrics as text, in the format of `mediaType`. */
  read(): Promise<string> {
    return this.#registry.metrics();
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }
}

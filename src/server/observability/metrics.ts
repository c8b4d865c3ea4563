import {statfs} from 'node:fs/promises';
import {Counter, collectDefaultMetrics, Gauge, Histogram, Registry} from 'prom-client';
import {type ProblemCode, problems} from '../../contract/index.js';
import type {Bounds, StoreMeasure} from '../../store/store.js';
import {type CutReason, cutReasons} from '../net/connection-guard.js';
import {droppedLines} from './buffered-stderr.js';

/** Outcome of an activation attempt: a new connector, a new key, the same one again, or the code of the error. */
type ActivationOutcome = 'redeemed' | 'reissued' | 'repeated' | ProblemCode;

/** Values that are read for each scrape. */
interface MetricSources {
  /** Content of the store, possibly some seconds old; undefined while it is not available. */
  measureStore(): Promise<StoreMeasure | undefined>;
  /** Number of open connections. */
  countConnections(): Promise<number>;
  /** Maximum number of open connections; undefined without a limit. */
  maxConnections(): number | undefined;
  /** The bounds of each organization; undefined without any. */
  bounds(): Bounds | undefined;
}

/** Bounds in seconds: most responses take a few milliseconds, a slow disk or a long list much more. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const syncBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

const problemCodes = Object.keys(problems) as readonly ProblemCode[];

/** Methods that may become a label value, so that callers cannot create series with invented ones. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/**
 * Prometheus metrics of one service. No label holds an organization, a connector, a key or an address:
 * readers learn how much there is, never whose.
 */
export class Metrics {
  readonly #registry = new Registry();
  #certificateExpiresAt: number | undefined;
  readonly #requests = this.#histogram({
    name: 'connectorctl_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its response, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: requestBuckets,
  });
  readonly #syncs = this.#histogram({
    name: 'connectorctl_store_sync_duration_seconds',
    help: 'Time to write one batch of changes and sync it to disk (JSON file store)',
    buckets: syncBuckets,
  });
  readonly #commits = this.#histogram({
    name: 'connectorctl_store_commit_duration_seconds',
    help: 'Time until the database committed a change, including the wait for it (PostgreSQL store)',
    buckets: syncBuckets,
  });
  readonly #problems = this.#counter(
    'connectorctl_problems_total',
    'Refused and failed requests by problem code, including those over a limit',
    ['code'],
  );
  readonly #tokens = this.#counter(
    'connectorctl_tokens_created_total',
    'Activation tokens created',
  );
  readonly #activations = this.#counter(
    'connectorctl_activations_total',
    'Attempts to activate a connector, by outcome',
    ['outcome'],
  );
  readonly #heartbeats = this.#counter('connectorctl_heartbeats_total', 'Heartbeats recorded');
  readonly #dropped = this.#counter(
    'connectorctl_connections_dropped_total',
    'Connections dropped because too many were open',
  );
  readonly #cut = this.#counter(
    'connectorctl_connections_cut_total',
    'Connections cut because of the memory they took, or because they sent no request while many were open, by reason',
    ['reason'],
  );

  readonly #regressions = this.#counter(
    'connectorctl_store_regressions_total',
    'Outages of the database after which acknowledged changes were missing (PostgreSQL store)',
  );
  readonly #compactionsFailed = this.#counter(
    'connectorctl_store_compactions_failed_total',
    'Compactions that failed; the files of the store only stay larger (JSON file store)',
  );
  readonly #handshakes = this.#counter(
    'connectorctl_tls_handshakes_failed_total',
    'Failed TLS handshakes',
  );

  constructor() {
    // A counter that appears with its first event hides that event from `increase()`.
    for (const code of problemCodes) this.#problems.inc({code}, 0);
    for (const reason of cutReasons) this.#cut.inc({reason}, 0);
    const counter: Counter = new Counter({
      name: 'connectorctl_log_lines_dropped_total',
      help: 'Lines of the log that were dropped, because its reader is slow or its disk is full',
      registers: [this.#registry],
      collect() {
        counter.reset();
        counter.inc(droppedLines());
      },
    });
  }

  #histogram(options: {name: string; help: string; labelNames?: string[]; buckets: number[]}) {
    return new Histogram({...options, registers: [this.#registry]});
  }

  #counter(name: string, help: string, labelNames: string[] = []) {
    return new Counter({name, help, labelNames, registers: [this.#registry]});
  }

  #gauge(
    name: string,
    help: string,
    collect: (gauge: Gauge) => Promise<void>,
    labelNames: string[] = [],
  ): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect: () => collect(gauge),
    });
  }

  /** Adds the version of this build. */
  build(version: string): void {
    this.#gauge(
      'connectorctl_build_info',
      'Version of the service, as a label; always 1',
      async (gauge) => gauge.set({version}, 1),
      ['version'],
    );
  }

  /** Adds the free space of the file system that holds a store's directory. */
  disk(directory: string): void {
    this.#gauge(
      'connectorctl_store_free_bytes',
      'Free space of the file system that holds the store (JSON file store)',
      async (gauge) => {
        try {
          const {bavail, bsize} = await statfs(directory);
          gauge.set(bavail * bsize);
        } catch {
          gauge.remove();
        }
      },
    );
  }

  /** Adds the limit of the heap in bytes, which `nodejs_heap_size_used_bytes` approaches. */
  heap(limit: number): void {
    this.#gauge(
      'connectorctl_heap_limit_bytes',
      'Size of the heap at which the process ends: the limit of the old generation of V8',
      async (gauge) => gauge.set(limit),
    );
  }

  /** Adds metrics of the process: event loop, memory, garbage collection, CPU, files. */
  measureProcess(): void {
    collectDefaultMetrics({register: this.#registry});
    // Gauges that are named like counters; the gauges by type hold the same values.
    for (const what of ['handles', 'requests', 'resources']) {
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`);
    }
  }

  /** Adds the values that are read for each scrape. */
  watch({measureStore, countConnections, maxConnections, bounds}: MetricSources): void {
    // All gauges are collected concurrently, so none may rely on a value that another one fetched.
    this.#gauge(
      'connectorctl_store_ready',
      'Whether the store can be read and written: 1 or 0',
      async (gauge) => gauge.set((await measureStore()) === undefined ? 0 : 1),
    );
    this.#gauge(
      'connectorctl_store_bytes',
      'Size of the store on disk: its files, or its tables and their indexes',
      async (gauge) => {
        const bytes = (await measureStore())?.bytes ?? null;
        if (bytes === null) gauge.remove();
        else gauge.set(bytes);
      },
    );
    this.#gauge(
      'connectorctl_connectors',
      'Connectors of all organizations, by status',
      async (gauge) => {
        const measure = await measureStore();
        gauge.reset();
        for (const [status, count] of Object.entries(measure?.connectors ?? {})) {
          gauge.set({status}, count);
        }
      },
      ['status'],
    );
    this.#gauge(
      'connectorctl_organization_records',
      'Records of the organization that has the most of them, by kind; tokens are unused ones',
      async (gauge) => {
        const measure = await measureStore();
        gauge.reset();
        for (const [kind, count] of Object.entries(measure?.largest ?? {})) {
          gauge.set({kind}, count);
        }
      },
      ['kind'],
    );
    this.#gauge(
      'connectorctl_organization_records_limit',
      'The most records that one organization may have, by kind',
      async (gauge) => {
        for (const [kind, count] of Object.entries(bounds() ?? {})) gauge.set({kind}, count);
      },
      ['kind'],
    );
    this.#gauge(
      'connectorctl_tls_certificate_expiry_timestamp_seconds',
      'When the certificate in use expires, as seconds since the Unix epoch',
      async (gauge) => {
        if (this.#certificateExpiresAt === undefined) gauge.remove();
        else gauge.set(this.#certificateExpiresAt / 1000);
      },
    );
    this.#gauge('connectorctl_connections', 'Open connections', async (gauge) =>
      gauge.set(await countConnections()),
    );
    this.#gauge(
      'connectorctl_connections_limit',
      'Maximum number of open connections; further ones are dropped',
      async (gauge) => {
        const limit = maxConnections();
        if (limit === undefined) gauge.remove();
        else gauge.set(limit);
      },
    );
  }

  /** Records when the certificate expires, in milliseconds since the Unix epoch. */
  certificate(expiresAt: number): void {
    this.#certificateExpiresAt = expiresAt;
  }

  request(route: string, method: string, status: number | 'none', seconds: number): void {
    this.#requests.observe(
      {route, method: methods.has(method) ? method : 'other', status},
      seconds,
    );
  }

  problem(code: ProblemCode): void {
    this.#problems.inc({code});
  }

  tokenCreated(): void {
    this.#tokens.inc();
  }

  activation(outcome: ActivationOutcome): void {
    this.#activations.inc({outcome});
  }

  heartbeat(): void {
    this.#heartbeats.inc();
  }

  connectionDropped(): void {
    this.#dropped.inc();
  }

  connectionCut(reason: CutReason): void {
    this.#cut.inc({reason});
  }

  handshakeFailed(): void {
    this.#handshakes.inc();
  }

  storeSynced(seconds: number): void {
    this.#syncs.observe(seconds);
  }

  compactionFailed(): void {
    this.#compactionsFailed.inc();
  }

  storeCommitted(seconds: number): void {
    this.#commits.observe(seconds);
  }

  storeRegressed(): void {
    this.#regressions.inc();
  }

  /** All metrics as text, in the format of `mediaType`. */
  read(): Promise<string> {
    return this.#registry.metrics();
  }

  get mediaType(): string {
    return this.#registry.contentType;
  }
}

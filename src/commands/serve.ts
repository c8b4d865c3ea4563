import {Flags, type Interfaces} from '@oclif/core';
import {BaseCommand} from '../cli/base-command.js';
import {durationFlag, integerFlag, storeFlags} from '../cli/flags.js';
import {sandboxFlags} from '../cli/sandbox/flags.js';
import {startSandbox} from '../cli/sandbox/start.js';
import {announceBootstrap, bootstrapPlace} from '../cli/store/bootstrap.js';
import {logTerminal} from '../cli/store/log-terminal.js';
import {ignoreServiceLink} from '../cli/supervision/kubernetes.js';
import {ServeSupervision} from '../cli/supervision/serve.js';
import {systemdOf} from '../cli/supervision/systemd.js';
import {releaseSignals} from '../cli/terminal/signals.js';
import {writeMessage, writeOut} from '../cli/terminal/streams.js';
import {defaultEndpoint, limits} from '../contract/limits.js';
import {jsonLine} from '../render/formats/json.js';
import {paletteFor} from '../render/palette.js';

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

const inSeconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? undefined : Math.round(milliseconds / 1000);

export default class Serve extends BaseCommand<undefined> {
  static override description =
    'Prints its URL on stdout, alone on one line, once it listens; everything else goes to stderr. For an empty store it creates the organization "default" with one API key. On a terminal it shows the key once; otherwise it writes the key to the file first-api-key in the store directory, readable only by you. For a database without a terminal it creates no key unless --bootstrap-key-file names a file. On SIGTERM or SIGINT it drains in-flight requests and exits 0; a second signal exits at once. With TLS, SIGHUP reloads the certificate and key.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --store ./store --bootstrap-key-file ./api-key',
    '<%= config.bin %> <%= command.id %> --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
    "<%= config.bin %> <%= command.id %> --sandbox --seed 7 --fault 'heartbeat:503@10%'",
  ];

  static override flags = {
    'activation-failure-limit': integerFlag({
      default: limits.activationFailureLimit,
      description: 'failed activations allowed per client address and minute',
      env: 'CONNECTORCTL_ACTIVATION_FAILURE_LIMIT',
      min: 1,
    }),
    'bootstrap-key-file': Flags.string({
      description: 'new file for the first API key (default: the terminal or the store directory)',
      env: 'CONNECTORCTL_BOOTSTRAP_KEY_FILE',
      helpValue: 'PATH',
    }),
    'cors-origin': Flags.string({
      description: 'origins that may call the service from browsers, or * for all (default: none)',
      env: 'CONNECTORCTL_CORS_ORIGIN',
      helpValue: 'LIST',
    }),
    'heartbeat-interval': durationFlag({
      description: `heartbeat interval that connectors are asked to use (default ${limits.heartbeatInterval.default}s)`,
      env: 'CONNECTORCTL_HEARTBEAT_INTERVAL',
    }),
    host: Flags.string({
      default: defaultEndpoint.host,
      description: 'address to listen on',
      env: 'CONNECTORCTL_HOST',
      helpValue: 'ADDRESS',
    }),
    'insecure-http': Flags.boolean({
      description: 'allow plain HTTP on other interfaces, for instance behind a TLS proxy',
      env: 'CONNECTORCTL_INSECURE_HTTP',
    }),
    'log-level': Flags.option({
      options: logLevels,
    })({
      default: 'info',
      description: `log level: ${logLevels.slice(0, -1).join(', ')} or ${logLevels.at(-1)}`,
      env: 'CONNECTORCTL_LOG_LEVEL',
      helpValue: 'LEVEL',
    }),
    'metrics-allow': Flags.string({
      description: 'addresses and CIDR ranges that may read /metrics (default: localhost)',
      env: 'CONNECTORCTL_METRICS_ALLOW',
      helpValue: 'LIST',
    }),
    'metrics-host': Flags.string({
      description: 'host names that serve /metrics, besides IP addresses and localhost',
      env: 'CONNECTORCTL_METRICS_HOST',
      helpValue: 'LIST',
    }),
    port: integerFlag({
      default: defaultEndpoint.port,
      description: 'port to listen on; 0 selects a free one',
      env: 'CONNECTORCTL_PORT',
      max: 65_535,
      min: 0,
    }),
    ...sandboxFlags,
    ...storeFlags,
    'tls-cert': Flags.string({
      dependsOn: ['tls-key'],
      description: 'certificate chain (PEM) for HTTPS',
      env: 'CONNECTORCTL_TLS_CERT',
      helpValue: 'PATH',
    }),
    'tls-key': Flags.string({
      dependsOn: ['tls-cert'],
      description: 'private key (PEM) of the certificate',
      env: 'CONNECTORCTL_TLS_KEY',
      helpValue: 'PATH',
    }),
    'token-ttl': durationFlag({
      description: `lifetime of an activation token (default ${limits.tokenTtl.default / 60}m)`,
      env: 'CONNECTORCTL_TOKEN_TTL',
    }),
    'trust-proxy': Flags.string({
      description: 'proxies to trust for the client address: addresses, CIDR ranges or loopback',
      env: 'CONNECTORCTL_TRUST_PROXY',
      helpValue: 'LIST',
    }),
  };

  static override summary = 'Run the reference service';

  async run(): Promise<undefined> {
    ignoreServiceLink(process.env);
    const {flags} = await this.parse(Serve);
    const [{serve}, {describeStore, isPostgresLocation, openStore}] = await Promise.all([
      import('../server/serve.js'),
      import('../store/open.js'),
    ]);
    const sandbox = await startSandbox(flags);
    const store = sandbox?.directory ?? this.storeLocation(flags);
    // The URL of a database may hold a password.
    const named = flags.store && isPostgresLocation(flags.store) ? 'URL' : flags.store;
    const onTerminal = process.stderr.isTTY === true;
    const {log, release} = await this.#openLog(flags.quiet ? 'error' : flags['log-level']);
    const directory = isPostgresLocation(store) ? undefined : store;
    const place = bootstrapPlace(flags['bootstrap-key-file'], onTerminal, directory);
    const bootstrap = announceBootstrap(place, named, log);
    // The server handles the signals itself.
    releaseSignals();
    const systemd = systemdOf(process.env, process.pid);
    const supervision = systemd && new ServeSupervision(systemd);
    const {runtime, extension} = sandbox ?? {};
    try {
      await serve(
        {...settingsOf(flags), store, runtime, extension},
        {
          version: this.config.version,
          openStore: sandbox?.openStore ?? openStore,
          log,
          process,
          ...bootstrap,
          onListening: async (url) => {
            const served = sandbox?.notice ?? `Serving the store ${await describeStore(store)}.`;
            // Not one after the other: a key that is shown once must not be lost with stdout.
            const written = writeOut(this.jsonEnabled() ? `${jsonLine({url})}\n` : `${url}\n`);
            writeMessage(onTerminal ? `${served} Ctrl-C stops it.` : served);
            bootstrap.announce(url);
            release();
            await written;
            supervision?.ready(url);
          },
          onStopping: () => {
            // The terminal shows ^C at the beginning of the line.
            if (onTerminal) writeMessage('\nStopping. A second Ctrl-C does not wait for requests.');
            supervision?.stopping();
          },
        },
      );
      if (onTerminal) writeMessage('Stopped.');
    } finally {
      release();
      await sandbox?.close();
      await supervision?.close();
    }
    return undefined;
  }

  /** The log, and a function that releases the lines that a terminal holds back during the start. */
  async #openLog(level: (typeof logLevels)[number]) {
    const {createLogger} = await import('../server/observability/logger.js');
    let release = () => {};
    const ready = new Promise<void>((resolve) => {
      release = resolve;
    });
    const palette = await paletteFor(this.colorLevel('stderr'));
    const log = createLogger(level, logTerminal(palette, ready));
    return {log, release};
  }
}

/** The settings of the service, as its flags give them. */
function settingsOf(flags: Interfaces.InferredFlags<typeof Serve.flags>) {
  const {'tls-cert': cert, 'tls-key': key} = flags;
  return {
    host: flags.host,
    port: flags.port,
    insecureHttp: flags['insecure-http'],
    tls: cert === undefined || key === undefined ? undefined : {cert, key},
    tokenTtl: inSeconds(flags['token-ttl']),
    heartbeatInterval: inSeconds(flags['heartbeat-interval']),
    activationFailureLimit: flags['activation-failure-limit'],
    corsOrigin: flags['cors-origin'],
    metricsAllow: flags['metrics-allow'],
    metricsHost: flags['metrics-host'],
    trustProxy: flags['trust-proxy'],
  };
}

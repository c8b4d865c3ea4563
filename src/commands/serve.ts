import {Flags} from '@oclif/core';
import {BaseCommand} from '../cli/base-command.js';
import {durationFlag, integerFlag, storeFlags} from '../cli/flags.js';
import {announceBootstrap, bootstrapPlace} from '../cli/store/bootstrap.js';
import {ignoreServiceLink} from '../cli/store/service-link.js';
import {ServeSupervision} from '../cli/supervision/serve.js';
import {systemdOf} from '../cli/supervision/systemd.js';
import {releaseSignals} from '../cli/terminal/signals.js';
import {writeMessage, writeOut} from '../cli/terminal/streams.js';
import {defaultEndpoint, limits} from '../contract/limits.js';
import {jsonLine} from '../render/formats/json.js';

const inSeconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? undefined : Math.round(milliseconds / 1000);

export default class Serve extends BaseCommand<undefined> {
  static override description =
    'When it listens it prints its URL, alone on one line, on stdout; everything else goes to stderr. With an empty store it makes the organization "default" and one API key. A terminal shows the key once; elsewhere it is written to the file first-api-key in the store directory, readable by you alone, and for a database none is made without --bootstrap-key-file. SIGTERM and SIGINT finish what is in flight and exit 0; a second one exits at once. With TLS, SIGHUP reads the certificate and its key again.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --store ./store --bootstrap-key-file ./api-key',
    '<%= config.bin %> <%= command.id %> --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  ];

  static override flags = {
    'bootstrap-key-file': Flags.string({
      description:
        'file for the first API key, for you alone (default: the terminal or the store directory)',
      env: 'CONNECTORCTL_BOOTSTRAP_KEY_FILE',
      helpValue: 'PATH',
    }),
    'cors-origin': Flags.string({
      description: 'origins whose pages may call the service, or * for all (default: none)',
      env: 'CONNECTORCTL_CORS_ORIGIN',
      helpValue: 'LIST',
    }),
    'heartbeat-interval': durationFlag({
      description: `interval at which connectors are asked to beat (default ${limits.heartbeatInterval.default}s)`,
      env: 'CONNECTORCTL_HEARTBEAT_INTERVAL',
    }),
    host: Flags.string({
      default: defaultEndpoint.host,
      description: 'address to listen on',
      env: 'CONNECTORCTL_HOST',
    }),
    'insecure-http': Flags.boolean({
      description: 'serve plain HTTP beyond this machine, for instance behind a proxy with TLS',
      env: 'CONNECTORCTL_INSECURE_HTTP',
    }),
    'log-level': Flags.option({
      options: ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const,
    })({default: 'info', description: 'how much to log', env: 'CONNECTORCTL_LOG_LEVEL'}),
    'metrics-allow': Flags.string({
      description: 'addresses and networks that /metrics answers (default: this machine)',
      env: 'CONNECTORCTL_METRICS_ALLOW',
      helpValue: 'LIST',
    }),
    'metrics-host': Flags.string({
      description: 'host names under which /metrics is served, beside IP addresses and localhost',
      env: 'CONNECTORCTL_METRICS_HOST',
      helpValue: 'LIST',
    }),
    port: integerFlag({
      default: defaultEndpoint.port,
      description: 'port to listen on; 0 takes a free one',
      env: 'CONNECTORCTL_PORT',
      max: 65_535,
      min: 0,
    }),
    'activation-failure-limit': integerFlag({
      default: limits.activationFailureLimit,
      description: 'refused activations that one address may cause per minute',
      env: 'CONNECTORCTL_ACTIVATION_FAILURE_LIMIT',
      min: 1,
    }),
    ...storeFlags,
    'tls-cert': Flags.string({
      dependsOn: ['tls-key'],
      description: 'certificate chain (PEM) to serve HTTPS with',
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
      description: "proxies (addresses, networks, or loopback) to believe about a caller's address",
      env: 'CONNECTORCTL_TRUST_PROXY',
      helpValue: 'LIST',
    }),
  };

  static override summary = 'Run the reference service';

  async run(): Promise<undefined> {
    ignoreServiceLink(process.env);
    const {flags} = await this.parse(Serve);
    const store = this.storeLocation(flags);
    const {'tls-cert': cert, 'tls-key': key} = flags;
    const [{serve}, {createLogger}, {describeStore, isPostgresLocation, openStore}] =
      await Promise.all([
        import('../server/serve.js'),
        import('../server/observability/logger.js'),
        import('../store/open.js'),
      ]);
    // A database's URL may hold a password, which is nothing to write down.
    const named = flags.store && isPostgresLocation(flags.store) ? 'URL' : flags.store;
    const onTerminal = process.stderr.isTTY === true;
    const log = createLogger(flags['log-level'], onTerminal);
    const keyFile = flags['bootstrap-key-file'];
    const directory = isPostgresLocation(store) ? undefined : store;
    const place = bootstrapPlace(keyFile, onTerminal, directory);
    const bootstrap = announceBootstrap(place, named, log);
    // The server handles them itself.
    releaseSignals();
    const systemd = systemdOf(process.env, process.pid);
    const supervision = systemd && new ServeSupervision(systemd);
    try {
      await serve(
        {
          host: flags.host,
          port: flags.port,
          insecureHttp: flags['insecure-http'],
          tls: cert === undefined || key === undefined ? undefined : {cert, key},
          store,
          tokenTtl: inSeconds(flags['token-ttl']),
          heartbeatInterval: inSeconds(flags['heartbeat-interval']),
          activationFailureLimit: flags['activation-failure-limit'],
          corsOrigin: flags['cors-origin'],
          metricsAllow: flags['metrics-allow'],
          metricsHost: flags['metrics-host'],
          trustProxy: flags['trust-proxy'],
        },
        {
          version: this.config.version,
          openStore,
          log,
          process,
          ...bootstrap,
          onListening: async (url) => {
            await writeOut(this.jsonEnabled() ? `${jsonLine({url})}\n` : `${url}\n`);
            bootstrap.onListening(url);
            writeMessage(`Serving the store ${await describeStore(store)}.`);
            supervision?.ready(url);
          },
          onStopping: () => supervision?.stopping(),
        },
      );
    } finally {
      await supervision?.close();
    }
    return undefined;
  }
}

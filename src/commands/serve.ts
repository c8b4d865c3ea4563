import {storeLocation} from '../admin/admin.js';
import {BaseCommand} from '../cli/command/base-command.js';
import {sandboxFlags, sandboxOptions, servingNotice} from '../sandbox/start.js';
import {announceBootstrap, type Bootstrap, keyLocation} from '../serve/bootstrap.js';
import {ignoreServiceLink, type LogLevel, serveFlags, serveSettings} from '../serve/flags.js';
import {systemdOf} from '../system/systemd.js';
import {jsonLine} from '../terminal/formats/json.js';
import {type ColorLevel, paletteFor} from '../terminal/palette.js';
import {takeSignals} from '../terminal/signals.js';
import {writeError, writeMessage, writeOut} from '../terminal/streams.js';

export default class Serve extends BaseCommand<undefined> {
  static override description =
    'Prints its URL on stdout, alone on one line, once it listens; everything else goes to stderr. For an empty store it creates the organization "default" with one API key. On a terminal, or with --sandbox, it shows the key once; otherwise it writes the key to the file first-api-key in the store directory, readable only by you. For a database without a terminal it creates no key unless --bootstrap-key-file names a file. On SIGTERM or SIGINT it drains in-flight requests and exits 0; a second signal exits at once. With TLS, SIGHUP reloads the certificate and key.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --store ./store --bootstrap-key-file ./api-key',
    '<%= config.bin %> <%= command.id %> --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
    "<%= config.bin %> <%= command.id %> --sandbox --seed 7 --fault 'heartbeat:503@10%'",
  ];

  static override flags = {...serveFlags, ...sandboxFlags};

  static override summary = 'Run the reference service';

  async run(): Promise<undefined> {
    ignoreServiceLink(process.env);
    const {flags} = await this.parse(Serve);
    // From here on the server handles signals, because it may have files to remove.
    const signals = takeSignals();
    const [{describeStore, isPostgresLocation, openStore}, sandbox] = await Promise.all([
      import('../store/open.js'),
      flags.sandbox ? sandboxOptions(flags) : undefined,
    ]);
    const store = storeLocation(flags);
    // The URL of a database may hold a password.
    const named = flags.store && isPostgresLocation(flags.store) ? 'URL' : flags.store;
    const level = flags.quiet ? 'error' : flags['log-level'];
    const log = await openLog(level, this.colorLevel('stderr'));
    const directory = sandbox || isPostgresLocation(store) ? undefined : store;
    // The key of a sandbox is no secret: whoever reads its seed can compute it.
    const isShown = process.stderr.isTTY || sandbox !== undefined;
    const location = keyLocation(flags['bootstrap-key-file'], isShown, directory);
    const bootstrap = announceBootstrap(location, named, log);
    const tell = teller(bootstrap, this.jsonEnabled());
    const environment = {log, process: signals, ...bootstrap, onStopping: tell.stopping};
    const settings = serveSettings(flags);
    try {
      if (sandbox !== undefined) {
        const {serveSandbox} = await import('../server/sandbox/start.js');
        await serveSandbox({...settings, ...sandbox}, environment, (url, opened) =>
          tell.listening(url, servingNotice(opened, flags)),
        );
      } else {
        const {serve} = await import('../server/serve.js');
        const onListening = async (url: string, hasKeys: boolean) =>
          tell.listening(url, `Serving the store ${await describeStore(store)}.`, hasKeys);
        await serve(
          {...settings, directory},
          {...environment, openStore: (options) => openStore(store, options), onListening},
        );
      }
      tell.stopped();
    } finally {
      await tell.settled();
    }
    return undefined;
  }
}

/** Tells the operator and systemd when the service listens and when it stops. */
function teller(bootstrap: Bootstrap, json: boolean) {
  const onTerminal = process.stderr.isTTY === true;
  const systemd = systemdOf(process, writeMessage);
  // The watchdog monitors the event loop, not the store: a restart does not bring back a database.
  void systemd?.keepAlive(() => true);
  return {
    async listening(url: string, served: string, hasKeys = true): Promise<void> {
      // The key does not wait for stdout: it is shown once, and must not be lost with stdout.
      const written = writeOut(json ? `${jsonLine({url})}\n` : `${url}\n`);
      writeMessage(onTerminal ? `${served} Ctrl-C stops it.` : served);
      bootstrap.announce(url, hasKeys);
      await written;
      systemd?.notify({READY: '1', STATUS: `Serving ${url}`});
    },
    stopping(): void {
      // The terminal shows ^C at the beginning of the line.
      if (onTerminal) writeMessage('\nStopping. A second Ctrl-C does not wait for requests.');
      systemd?.notify({STOPPING: '1', STATUS: 'Finishing the requests in flight'});
    },
    stopped(): void {
      if (onTerminal) writeMessage('Stopped.');
    },
    /** Resolves once systemd has all notifications. */
    settled: async (): Promise<void> => systemd?.settled(),
  };
}

/** The log of the service. A terminal keeps nothing, so there the level applies to audit records too. */
async function openLog(level: LogLevel, colors: ColorLevel) {
  const {createLogger} = await import('../server/observability/logger.js');
  if (process.stderr.isTTY !== true) return createLogger(level, {keepsAudit: true});
  const write = (text: string) => writeError(text.trimEnd());
  return createLogger(level, {palette: await paletteFor(colors), write});
}

import {storeFlags, storeLocation, typedStore} from '../admin/admin.js';
import {BaseCommand} from '../cli/command/base-command.js';
import {sandboxFlags, sandboxOptions, servingNotice} from '../sandbox/flags.js';
import {announceBootstrap, openLog, teller} from '../serve/bootstrap.js';
import {ignoreServiceLink, serveFlags, serveSettings} from '../serve/flags.js';

export default class Serve extends BaseCommand<undefined> {
  static override description =
    'Prints its URL on stdout, alone on one line, once it listens; everything else goes to stderr. An empty store gets the organization "default" with one API key, shown once on a terminal or with --sandbox, else written to the file first-api-key of the store directory; a database without a terminal gets none.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 0 --store ./store',
    '<%= config.bin %> <%= command.id %> --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
    "<%= config.bin %> <%= command.id %> --sandbox --seed 7 --fault 'heartbeat:503@10%'",
  ];

  static override flags = {...storeFlags, ...serveFlags, ...sandboxFlags};

  static override summary = 'Run the reference service';

  async run(): Promise<undefined> {
    const {io} = this;
    ignoreServiceLink(process.env, io);
    const {flags} = await this.parse(Serve);
    // From here on the server handles signals, because it may have files to remove.
    const signals = io.takeSignals();
    const [{describeStore, isPostgresLocation, openStore}, sandbox] = await Promise.all([
      import('../store/open.js'),
      flags.sandbox ? sandboxOptions(flags, io) : undefined,
    ]);
    const store = storeLocation(flags);
    const level = flags.quiet ? 'error' : flags['log-level'];
    const log = await openLog(level, io);
    const directory = sandbox || isPostgresLocation(store) ? undefined : store;
    // The key of a sandbox is no secret: whoever reads its seed can compute it.
    const isShown = io.stderr.isTerminal || sandbox !== undefined;
    const typed = await typedStore(flags.store);
    const bootstrap = announceBootstrap({isShown, directory}, typed, log, io);
    const tell = teller(bootstrap, io);
    const environment = {log, process: signals, ...bootstrap, onStopping: tell.stopping};
    const settings = serveSettings(flags);
    try {
      if (sandbox !== undefined) {
        const {serveSandbox} = await import('../server/sandbox/start.js');
        await serveSandbox({...settings, ...sandbox}, environment, (url, opened) =>
          tell.listening(url, servingNotice(opened, flags), true),
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

import {Flags, type Interfaces} from '@oclif/core';
import {activate} from '../../cli/activation/activate.js';
import {resolveActivation} from '../../cli/activation/input.js';
import {checkTarget} from '../../cli/activation/target.js';
import {inputFlags, integerFlag, letters, textFlag} from '../../cli/flags.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {terminalWidth} from '../../cli/terminal/capabilities.js';
import {runInterruptible, stopOnHangUp} from '../../cli/terminal/signals.js';
import {flushed} from '../../cli/terminal/streams.js';
import {AppError, exitCodes} from '../../errors.js';
import {renderActivation} from '../../render/details.js';
import {jsonText} from '../../render/formats/json.js';
import {paletteFor} from '../../render/palette.js';

const listFormats = ['table', 'ndjson', 'csv'] as const;

/** The flags for one connector, which a list of machines has in its columns. */
const singleFlags = ['name', 'token', 'token-file', 'credentials-file', 'force'];

/** The flags for a list of machines. */
const listFlags = ['credentials-dir', 'parallel', 'dry-run', 'max-failures', 'report', 'output'];

export default class ConnectorActivate extends ServiceCommand<undefined> {
  static override description =
    "Prompts for missing values on a terminal. The response holds the connector's own credential: it is shown once, or written to --credentials-file and not shown. With --from it activates a connector for each machine of a CSV file, with the API key of the organization; run again, it does what is left.";

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --name web-1 --token-file token',
    'CONNECTORCTL_ACTIVATION_TOKEN=act_… <%= config.bin %> <%= command.id %> --name web-1',
    '<%= config.bin %> <%= command.id %> --name web-1 --credentials-file /etc/web-1.json',
    '<%= config.bin %> <%= command.id %> --from machines.csv --credentials-dir out --dry-run',
    '<%= config.bin %> <%= command.id %> --from machines.csv --credentials-dir out -o csv > results.csv',
  ];

  static override flags = {
    ...inputFlags,
    'credentials-dir': textFlag({
      description: 'directory for the credentials files of the machines',
      helpGroup: 'LIST',
      helpValue: 'PATH',
    }),
    'credentials-file': Flags.string({
      description:
        'save the whole response to this file, readable only by you, instead of showing it',
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    'dry-run': Flags.boolean({
      description: 'check the list and the directory, and send nothing',
      helpGroup: 'LIST',
    }),
    force: Flags.boolean({
      char: letters.force,
      dependsOn: ['credentials-file'],
      description: 'replace an existing credentials file; a symbolic link itself, not its target',
    }),
    from: textFlag({
      description:
        'CSV of machines with a column name, and optionally file and recipient (age1…); - is stdin',
      helpGroup: 'LIST',
      helpValue: 'PATH',
    }),
    'max-failures': integerFlag({
      description: 'start no more machines after this many failures',
      helpGroup: 'LIST',
      min: 1,
    }),
    name: Flags.string({
      char: letters.name,
      description: 'name of the connector (prompted for, with the host name as default)',
      env: 'CONNECTORCTL_CONNECTOR_NAME',
      helpValue: 'NAME',
    }),
    output: Flags.option({
      char: letters.output,
      description: 'format of the results of a list: table, ndjson or csv; csv is itself a list',
      helpGroup: 'LIST',
      helpValue: 'FORMAT',
      options: listFormats,
    })(),
    parallel: integerFlag({
      description: 'machines to activate in parallel (default 4)',
      helpGroup: 'LIST',
      max: 64,
      min: 1,
    }),
    report: Flags.string({
      description: 'also write a report of a list (json, junit, markdown); may be repeated',
      helpGroup: 'LIST',
      helpValue: 'FORMAT=PATH',
      multiple: true,
    }),
    token: Flags.string({
      description: 'activation token; a file or the environment keeps it out of the history',
      exclusive: ['token-file'],
      helpValue: 'TOKEN',
    }),
    'token-file': Flags.string({
      description: 'file that holds the activation token; - is stdin',
      helpValue: 'PATH',
    }),
  };

  static override summary = 'Activate a connector, or one for each machine of a list';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorActivate);
    if (flags.from !== undefined) {
      const isComplete = await this.#activateList(flags.from, flags);
      process.exitCode = exitCodes[isComplete ? 'ok' : 'unmet'].code;
      return undefined;
    }
    const misplaced = listFlags.find((flag) => this.isGiven(flag));
    if (misplaced !== undefined) {
      throw new AppError('usage', `--${misplaced} is for a list of machines.`, {
        hint: 'Pass the list with --from PATH, or omit the flag.',
      });
    }
    const {force, 'credentials-file': path} = flags;
    const target = path === undefined ? undefined : {path, force};
    // Checks as much as possible before the prompt for a token.
    const unfinished = await checkTarget(target);
    const settings = await this.settingsByUrl();
    const client = await this.connect(settings, {sendsToken: true});
    const baseUrl = settings.baseUrl.value;
    const wanted = {...(await resolveActivation(flags, baseUrl, unfinished)), baseUrl, target};
    const {reading, json, notices} = await runInterruptible((signal) =>
      activate(client, {...wanted, signal}),
    );
    if (this.jsonEnabled()) {
      await this.write(`${jsonText(json)}\n`);
    } else {
      const palette = await paletteFor(this.colourLevel('stdout'));
      await this.write(await renderActivation(reading, {now: Date.now(), palette}));
    }
    await flushed();
    for (const line of notices) this.logToStderr(line);
    return undefined;
  }

  /** Activates a connector for each machine of a list. @returns whether nothing is left to do */
  async #activateList(from: string, flags: ActivateFlags): Promise<boolean> {
    const directory = this.#checkListFlags(flags);
    const isPreview = flags['dry-run'];
    const {FleetSession, readFleet} = await import('../../cli/activation/fleet/session.js');
    const fleet = await readFleet({from, directory}, {reports: flags.report ?? [], isPreview});
    const settings = await this.settings();
    const session = new FleetSession(fleet, {
      service: settings.baseUrl.value,
      format: this.jsonEnabled() ? 'json' : (flags.output ?? 'table'),
      width: terminalWidth(),
      write: (text) => this.write(text),
      note: (line) => this.logToStderr(line),
    });
    if (isPreview) return session.preview();
    const client = await this.connect(settings, {
      retries: 0,
      hidesProgress: true,
      sendsToken: true,
    });
    const plan = {
      client,
      parallel: flags.parallel ?? 4,
      maxFailures: flags['max-failures'],
      retries: settings.retries.value,
    };
    return stopOnHangUp(() => runInterruptible((signal) => session.activate(plan, signal)));
  }

  /** @returns the directory for the credentials. @throws AppError `usage` */
  #checkListFlags({'credentials-dir': directory}: ActivateFlags): string {
    const single = singleFlags.find((flag) => this.isGiven(flag));
    if (single !== undefined) {
      throw new AppError('usage', `--${single} is for one connector, and --from for a list.`, {
        hint: 'Use one of the two.',
      });
    }
    if (directory !== undefined) return directory;
    throw new AppError('usage', '--from needs a directory for the credentials files.', {
      hint: 'Set it with --credentials-dir PATH; it is created if it does not exist.',
    });
  }
}

type ActivateFlags = Interfaces.InferredFlags<typeof ConnectorActivate.flags>;

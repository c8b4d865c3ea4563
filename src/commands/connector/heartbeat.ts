import {Args, Flags, type Interfaces} from '@oclif/core';
import {forEachId, readIds, singleId} from '../../cli/connectors/ids.js';
import {CommandFailure} from '../../cli/errors/to-app-error.js';
import {durationFlag, integerFlag, textFlag} from '../../cli/flags.js';
import {runHeartbeatProcess} from '../../cli/heartbeat/process.js';
import {type HeartbeatTarget, heartbeatTarget} from '../../cli/heartbeat/target.js';
import {CommandNotStarted, startFailureCodes} from '../../cli/heartbeat/wrapped-command.js';
import {runWrapped} from '../../cli/heartbeat/wrapper.js';
import {isFromStdin} from '../../cli/service/settings.js';
import {ServiceCommand} from '../../cli/service-command.js';
import type {JsonObject} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import {renderHeartbeat} from '../../render/details.js';
import {type ErrorJson, errorJson} from '../../render/error.js';
import {jsonLine} from '../../render/formats/json.js';
import {renderHeartbeatLine} from '../../render/heartbeat-line.js';
import {paletteFor} from '../../render/palette.js';

/** The flags that only make sense with a command. */
const wrapperFlags = ['check', 'check-timeout', 'on-refused', 'kill-after'] as const;

const defaultCheckTimeout = 5000;
const defaultKillAfter = 10_000;

/** Milliseconds: a timer of Node.js with a delay of 25 days or more ends at once. */
const longestTimer = 24 * 24 * 60 * 60 * 1000;

export default class ConnectorHeartbeat extends ServiceCommand<HeartbeatJson> {
  static override args = {
    id: Args.string({
      description:
        'id of the connector; several ids get one heartbeat each, - reads them from stdin; optional with --credentials-file',
      multiple: true,
    }),
  };

  static override description =
    'Sends one heartbeat. With --every or --count it keeps running: it follows the interval the service asks for, backs off while the service is unavailable, honours Retry-After (both up to one hour), exits with the matching code on a permanent error, and exits 0 on SIGINT or SIGTERM. It logs the start and end of failures to stderr, with summaries in between. Several ids get one heartbeat each, with the key of the organization; under --json the result is an array with the id and the response or the error of each, and the exit code is that of the first error. With -- COMMAND it runs the command at once, without a shell and with the same stdin, stdout and stderr, and sends heartbeats until the command ends. It forwards signals, and exits with the code of the command (128+n for a signal, 126 and 127 as in a shell, 125 for a failure of its own before the start). A failing service never affects the command.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV con_01BX5ZZKBKACTAV9WEVGEMMVRZ',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json --every 60s',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json -- /usr/bin/agent --verbose',
    "<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json --check 'curl -fsS http://127.0.0.1:8080/health' -- /usr/bin/agent",
  ];

  static override flags = {
    check: textFlag({
      description: 'send a heartbeat only while this command, run by sh -c, succeeds',
      helpGroup: 'COMMAND',
      helpValue: 'CMD',
    }),
    'check-timeout': durationFlag({
      dependsOn: ['check'],
      description: 'time limit of one check (default 5s)',
      helpGroup: 'COMMAND',
      max: longestTimer,
    }),
    count: integerFlag({
      description: 'number of heartbeats to send, including failed ones',
      env: 'CONNECTORCTL_COUNT',
      min: 1,
    }),
    'credentials-file': textFlag({
      description: 'credentials file written by activate; names the connector, service and key',
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    every: durationFlag({
      description: 'interval between heartbeats; overrides the interval the service asks for',
      env: 'CONNECTORCTL_EVERY',
      min: limits.heartbeatInterval.min * 1000,
    }),
    'kill-after': durationFlag({
      description: 'with --on-refused stop: pause between SIGTERM and SIGKILL (default 10s)',
      helpGroup: 'COMMAND',
      max: longestTimer,
    }),
    'on-refused': Flags.option({
      description:
        'when the service refuses the heartbeats for good: keep the command running (default), or stop it',
      helpGroup: 'COMMAND',
      helpValue: 'keep|stop',
      options: ['keep', 'stop'] as const,
    })(),
  };

  static override summary = 'Send heartbeats for a connector';

  static override usage = [
    '<%= command.id %> [ID...] [--every DURATION] [--count N] [FLAGS]',
    '<%= command.id %> [ID] [FLAGS] -- COMMAND [ARG]...',
  ];

  /** The words after `--`. */
  #command: readonly string[] | undefined;

  protected override async init(): Promise<void> {
    const end = this.argv.indexOf('--');
    if (end !== -1) {
      this.#command = this.argv.slice(end + 1);
      this.argv = this.argv.slice(0, end);
    }
    await super.init();
  }

  async run(): Promise<HeartbeatJson> {
    const {args, flags} = await this.parse(ConnectorHeartbeat);
    this.#checkForm(flags);
    const words = args.id ?? [];
    if (words.length > 0 && singleId(words) === undefined) {
      this.#refuseForSeveral(flags);
      return this.#sendToEach(words);
    }
    const target = await heartbeatTarget(words[0], flags['credentials-file']);
    if (this.#command !== undefined) return this.#wrap(this.#command, target, flags);
    const repeats = flags.every !== undefined || flags.count !== undefined;
    return repeats ? this.#sendRepeatedly(target, flags) : this.#sendOnce(target);
  }

  /** stdout belongs to the wrapped command, and the exit codes up to 124 are its own. */
  override async catch(error: Error): Promise<never> {
    const failure: unknown = await super.catch(error).catch((thrown: unknown) => thrown);
    if (this.#command === undefined || !(failure instanceof CommandFailure)) throw failure;
    const code = error instanceof CommandNotStarted ? error.processCode : startFailureCodes.ours;
    throw new CommandFailure(failure.error, false, code);
  }

  /** @throws AppError `usage` for flags of another form of the command */
  #checkForm(flags: HeartbeatFlags): void {
    if (this.#command === undefined) {
      const given = wrapperFlags.find((name) => flags[name] !== undefined);
      if (given === undefined) return;
      throw new AppError('usage', `--${given} needs a command.`, {
        hint: 'Write the command after the flags: -- COMMAND [ARG]...',
      });
    }
    if (this.#command.length === 0) {
      throw new AppError('usage', 'There is no command after --.', {
        hint: 'Write the command after the flags: -- COMMAND [ARG]...',
      });
    }
    if (flags.count !== undefined) {
      throw new AppError('usage', '--count cannot be used with a command.', {
        hint: 'Heartbeats end with the command: leave out --count (or unset CONNECTORCTL_COUNT).',
      });
    }
    if (this.jsonEnabled()) {
      throw new AppError('usage', '--json cannot be used with a command.', {
        hint: 'stdout belongs to the command: leave out --json.',
      });
    }
    if (flags['kill-after'] !== undefined && flags['on-refused'] !== 'stop') {
      throw new AppError('usage', '--kill-after has no effect without --on-refused stop.', {
        hint: 'Add --on-refused stop, or leave out --kill-after.',
      });
    }
  }

  async #sendOnce({id, service}: HeartbeatTarget): Promise<JsonObject> {
    const {client} = await this.client({}, service);
    const reading = await client.sendHeartbeat(id);
    const palette = await paletteFor(this.colourLevel('stdout'));
    await this.print(await renderHeartbeat(id, reading, {now: Date.now(), palette}));
    return reading.raw;
  }

  async #sendRepeatedly(
    {id, service}: HeartbeatTarget,
    {every, count}: HeartbeatFlags,
  ): Promise<undefined> {
    // The loop retries by itself, at the interval.
    const {client, settings} = await this.client({retries: 0}, service);
    await runHeartbeatProcess(client, id, {
      every,
      count,
      timeout: settings.timeout.value,
      accepted: (reading) => {
        if (this.jsonEnabled()) this.writeIfReady(`${jsonLine(reading.raw)}\n`);
        else this.writeIfReady(renderHeartbeatLine(id, reading));
      },
    });
  }

  async #wrap(
    command: readonly string[],
    {id, service}: HeartbeatTarget,
    flags: HeartbeatFlags,
  ): Promise<undefined> {
    const found = await this.settings(service);
    if (isFromStdin(found.apiKey.value)) {
      const message = 'The API key cannot come from stdin: it belongs to the command.';
      throw new AppError('usage', message, {
        hint: 'Pass a file with --api-key-file PATH, or use --credentials-file.',
      });
    }
    // Reports every error that can be found before the command starts.
    const settings = await this.checked(found);
    process.exitCode = await runWrapped(id, {
      command,
      connect: () => this.connect(settings, {retries: 0, hidesProgress: true}),
      every: flags.every,
      timeout: settings.timeout.value,
      check: flags.check,
      checkTimeout: flags['check-timeout'] ?? defaultCheckTimeout,
      onRefused: flags['on-refused'] ?? 'keep',
      killAfter: flags['kill-after'] ?? defaultKillAfter,
    });
  }

  async #sendToEach(words: readonly string[]): Promise<HeartbeatJson> {
    const ids = await readIds(words);
    const {client} = await this.client();
    const results: HeartbeatResult[] = [];
    let skipped = 0;
    for await (const outcome of forEachId(ids, (id) => client.sendHeartbeat(id))) {
      const {id} = outcome;
      if ('value' in outcome) {
        results.push({id, response: outcome.value.raw});
        await this.print(renderHeartbeatLine(id, outcome.value));
      } else if (outcome.error === undefined) {
        skipped += 1;
        results.push({id, skipped: true});
      } else {
        const error = await this.explained(outcome.error);
        results.push({id, ...errorJson(error)});
        await this.reportFailure(error);
      }
    }
    this.reportSkipped(skipped);
    return results;
  }

  /** @throws AppError `usage` for flags that work with one connector only */
  #refuseForSeveral(flags: HeartbeatFlags): void {
    const names = ['credentials-file', 'every', 'count'] as const;
    const flag = names.find((name) => flags[name] !== undefined);
    const needless = this.#command === undefined ? flag && `--${flag}` : 'A command';
    if (needless === undefined) return;
    throw new AppError('usage', `${needless} works with one connector, not with several ids.`, {
      hint:
        needless === '--credentials-file'
          ? 'Omit it: several heartbeats need the key of the organization. A credentials file has the key of one connector.'
          : 'Run one process for each connector.',
    });
  }
}

/** The heartbeat of one of several connectors, under `--json`. */
type HeartbeatResult =
  | {readonly id: string; readonly response: JsonObject}
  | ({readonly id: string} & ErrorJson)
  | {readonly id: string; readonly skipped: true};

/** One response, or a result for each of several ids; undefined while it keeps running. */
type HeartbeatJson = JsonObject | readonly HeartbeatResult[] | undefined;

type HeartbeatFlags = Interfaces.InferredFlags<typeof ConnectorHeartbeat.flags>;

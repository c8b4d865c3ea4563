import {Args} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {ownWords} from '../../cli/errors/command-line.js';
import {toAppError} from '../../cli/errors/report.js';
import {startFailureCode} from '../../connector/run/command.js';
import {checkForm, runFlags} from '../../connector/run/flags.js';
import {runHeartbeats} from '../../connector/run/process.js';
import type {CredentialsFileService, ServiceSettings} from '../../service/settings.js';

export default class ConnectorRun extends ServiceCommand<undefined> {
  static override args = {
    id: Args.string({description: 'id of the connector; optional with --credentials-file'}),
  };

  static override description =
    'Sends heartbeats until it is stopped, or with -- COMMAND runs the command and sends them until it ends. The first start activates the connector into --credentials-file with the token of --token-file; every later start needs only that file.';

  static override examples = [
    '<%= config.bin %> <%= command.id %> --credentials-file /var/lib/web-1.json --token-file token',
    '<%= config.bin %> <%= command.id %> con_01ARZ3NDEKTSV4RRFFQ69G5FAV --every 60s',
    '<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json -- /usr/bin/agent --verbose',
    "<%= config.bin %> <%= command.id %> --credentials-file /etc/web-1.json --check 'curl -fsS http://127.0.0.1:8080/health' -- /usr/bin/agent",
  ];

  static override flags = runFlags;

  static override summary = 'Keep a connector online, alone or while a command runs';

  static override usage = '<%= command.id %> [ID] [FLAGS] [-- COMMAND [ARG]...]';

  /** The wrapped command, after `--`; undefined without one. */
  #command: readonly string[] | undefined;

  protected override async init(): Promise<void> {
    const own = ownWords(this.argv);
    if (own.length < this.argv.length) this.#command = this.argv.slice(own.length + 1);
    this.argv = [...own];
    await super.init();
  }

  async run(): Promise<undefined> {
    const {args, flags} = await this.parse(ConnectorRun);
    const command = this.#command;
    const {id} = args;
    checkForm(flags, id, command);
    const hidesProgress = command !== undefined;
    const services = {
      settings: (known?: CredentialsFileService) => this.settings(known),
      // Without retries: the loop itself decides when to send again.
      connect: (settings: ServiceSettings, sendsToken: boolean) =>
        this.connect(settings, {
          retries: 0,
          hidesProgress: hidesProgress || sendsToken,
          sendsToken,
        }),
    };
    this.io.exitCode = await runHeartbeats({id, flags, command, services, io: this.io});
  }

  /** stdout belongs to the wrapped command, and the exit codes below 124 are its own. */
  override async catch(error: Error): Promise<never> {
    const failure = await toAppError(error, this.io);
    if (this.#command !== undefined && !this.io.signals.isExitCode(failure.exitCode)) {
      this.io.exitCode = startFailureCode(failure);
    }
    throw failure;
  }
}

import {Flags} from '@oclif/core';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {ActivationInput} from '../../connector/activate/input.js';
import {
  activateAndShow,
  activateMachine,
  type CredentialsTarget,
  offerFile,
  previewActivation,
} from '../../connector/activate/machine.js';
import {joinedService, serviceOf} from '../../connector/activate/plan.js';
import {type ActivateResult, saved, warnOfOtherName} from '../../connector/activate/result.js';
import {renderActivation} from '../../connector/fields/details.js';
import {credentialsFileFlag} from '../../connector/run/flags.js';
import {inputFlags, letters} from '../../flags.js';
import type {ServiceSettings} from '../../service/settings.js';
import {jsonText} from '../../terminal/formats/json.js';

export default class ConnectorActivate extends ServiceCommand<undefined> {
  static override description =
    "Prompts for missing values on a terminal, and writes the connector's credential to --credentials-file, or shows it once. After a lost response or an interruption, run the same command again: with the file, it finishes the same activation.";

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --name web-1 --token-file token',
    'CONNECTORCTL_ACTIVATION_TOKEN=act_… <%= config.bin %> <%= command.id %> --name web-1',
    '<%= config.bin %> <%= command.id %> --name web-1 --credentials-file /etc/web-1.json',
  ];

  static override flags = {
    ...inputFlags,
    'credentials-file': credentialsFileFlag(
      'save the whole response to this file, readable only by you, instead of showing it',
    ),
    force: Flags.boolean({
      char: letters.force,
      dependsOn: ['credentials-file'],
      description:
        'activate again, and replace an existing credentials file; a symbolic link itself, not its target',
    }),
    name: Flags.string({
      char: letters.name,
      description:
        'name of the connector (prompted for; default: the name in the file that --force replaces, else the host name)',
      env: 'CONNECTORCTL_CONNECTOR_NAME',
      helpValue: 'NAME',
    }),
    'token-file': Flags.string({
      description: 'file that holds the activation token, or a join word; - is stdin',
      helpValue: 'PATH',
    }),
  };

  static override summary = 'Activate a connector';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorActivate);
    const {force, 'credentials-file': path} = flags;
    const {io} = this;
    const input = new ActivationInput(flags, {io});
    const result =
      path === undefined ? await this.#activate(input) : await this.#complete({path, force}, input);
    if (io.json) {
      await io.result(`${jsonText(result.json)}\n`);
    } else {
      const palette = await io.stdout.palette();
      await io.result(renderActivation(result.reading, {now: this.now, palette}));
    }
    for (const line of result.notices) this.logToStderr(line);
  }

  /** Activates without `--credentials-file`: into a file that the user accepts at a prompt, else shows the credential. */
  async #activate(input: ActivationInput): Promise<ActivateResult> {
    const settings = await this.settings();
    await input.token();
    const {client, baseUrl} = await this.#service(joinedService(settings, input.joined));
    const {name} = await input.resolve();
    const offered = this.io.json ? undefined : await offerFile(name, this.io);
    const into = offered === undefined ? undefined : {path: offered, force: false};
    const {io} = this;
    return io.interruptible(async (signal) => {
      const sending = {input, client, baseUrl, signal, io};
      if (into === undefined) return activateAndShow(sending);
      return saved(await activateMachine(into, sending), into.path);
    });
  }

  /** Activates into a credentials file. Checks what it can before it prompts for the token. */
  async #complete(target: CredentialsTarget, input: ActivationInput): Promise<ActivateResult> {
    const plan = await previewActivation(target, input, this.io);
    const settings = serviceOf(plan, await this.settings(), target.path);
    if (plan.do === 'report' && plan.pending !== 'same') {
      warnOfOtherName(plan.credentials, input.name, target.path, this.io);
      return saved({...plan, isNew: false}, target.path);
    }
    if (plan.do === 'activate') await input.token();
    const service = await this.#service(joinedService(settings, input.joined));
    if (plan.do === 'activate') await input.resolve(plan.replaces?.name);
    const activated = await this.io.interruptible((signal) =>
      activateMachine(target, {input, ...service, signal, io: this.io}),
    );
    return saved(activated, target.path);
  }

  async #service(settings: ServiceSettings) {
    const client = await this.connect(settings, {sendsToken: true});
    return {client, baseUrl: settings.baseUrl.value};
  }
}

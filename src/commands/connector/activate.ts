import {Flags} from '@oclif/core';
import {activate, checkTarget} from '../../cli/activation/activate.js';
import {resolveActivation} from '../../cli/activation/input.js';
import {inputFlags} from '../../cli/flags.js';
import {ServiceCommand} from '../../cli/service-command.js';
import {runInterruptible} from '../../cli/terminal/signals.js';
import {flushed} from '../../cli/terminal/streams.js';
import {renderActivation} from '../../render/details.js';
import {jsonText} from '../../render/formats/json.js';
import {paletteFor} from '../../render/palette.js';

export default class ConnectorActivate extends ServiceCommand<undefined> {
  static override description =
    "Prompts for missing values on a terminal. The response holds the connector's own credential: it is shown once, or written to --credentials-file and not shown.";

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --name web-1 --token-file token',
    'CONNECTORCTL_ACTIVATION_TOKEN=act_… <%= config.bin %> <%= command.id %> --name web-1',
    '<%= config.bin %> <%= command.id %> --name web-1 --credentials-file /etc/web-1.json',
  ];

  static override flags = {
    ...inputFlags,
    'credentials-file': Flags.string({
      description: 'file for the whole response, readable only by you; it is not shown then',
      env: 'CONNECTORCTL_CREDENTIALS_FILE',
      helpValue: 'PATH',
    }),
    force: Flags.boolean({
      dependsOn: ['credentials-file'],
      description: 'replace an existing credentials file; a symbolic link itself, not its target',
    }),
    name: Flags.string({
      description: 'name of the connector (prompted for, with the host name as default)',
      env: 'CONNECTORCTL_CONNECTOR_NAME',
      helpValue: 'NAME',
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

  static override summary = 'Activate a connector with an activation token and a name';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorActivate);
    const {force, 'credentials-file': path} = flags;
    const target = path === undefined ? undefined : {path, force};
    // Everything that can be wrong is checked before anybody types a token.
    await checkTarget(target);
    const settings = await this.settingsByUrl();
    const client = await this.connect(settings, {sendsToken: true});
    const baseUrl = settings.baseUrl.value;
    const wanted = {...(await resolveActivation(flags)), baseUrl, target};
    const {reading, json, notices, finish} = await runInterruptible((signal) =>
      activate(client, {...wanted, signal}),
    );
    if (this.jsonEnabled()) {
      await this.write(`${jsonText(json)}\n`);
    } else {
      const palette = await paletteFor(this.colourLevel('stdout'));
      await this.write(await renderActivation(reading, {now: Date.now(), palette}));
    }
    await flushed();
    await finish();
    for (const line of notices) this.logToStderr(line);
    return undefined;
  }
}

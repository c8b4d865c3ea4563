import {activate} from '../../cli/activation/activate.js';
import {activateFlags} from '../../cli/activation/flags.js';
import {ActivationInput} from '../../cli/activation/input.js';
import {offerFile} from '../../cli/activation/offer.js';
import {serviceOf} from '../../cli/activation/service.js';
import {checkTarget} from '../../cli/activation/target.js';
import {ServiceCommand} from '../../cli/command/service-command.js';
import {canPrompt} from '../../cli/terminal/capabilities.js';
import {runInterruptible} from '../../cli/terminal/signals.js';
import {flushed} from '../../cli/terminal/streams.js';
import {renderActivation} from '../../render/details.js';
import {jsonText} from '../../render/formats/json.js';
import {paletteFor} from '../../render/palette.js';

export default class ConnectorActivate extends ServiceCommand<undefined> {
  static override description =
    "Prompts for missing values on a terminal. The response holds the connector's own credential: it is written to --credentials-file, to the file that a terminal offers, or shown once. Run again, it finishes an activation whose response was lost, and does nothing once the file is complete: the token may then be gone. Exits 5 when the token is used or has expired. For a list of machines, see connector enroll.";

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --name web-1 --token-file token',
    'CONNECTORCTL_ACTIVATION_TOKEN=act_… <%= config.bin %> <%= command.id %> --name web-1',
    '<%= config.bin %> <%= command.id %> --name web-1 --credentials-file /etc/web-1.json',
  ];

  static override flags = activateFlags;

  static override summary = 'Activate a connector';

  async run(): Promise<undefined> {
    const {flags} = await this.parse(ConnectorActivate);
    const {force, 'credentials-file': path, 'no-input': noInput} = flags;
    const named = path === undefined ? undefined : {path, force};
    const input = new ActivationInput(flags, {promptAllowed: canPrompt(noInput)});
    // Checks as much as possible before the prompt for a token.
    const plan = await checkTarget(named, input);
    const settings = serviceOf(plan, await this.settingsByUrl(), path);
    const client = await this.connect(settings, {sendsToken: true});
    const wanted = plan.do === 'activate' ? await input.resolve() : undefined;
    const offered =
      wanted !== undefined && named === undefined && !this.jsonEnabled()
        ? await offerFile(wanted.name, noInput)
        : undefined;
    const target = offered === undefined ? named : {path: offered, force: false};
    const request = {input, baseUrl: settings.baseUrl.value, target};
    const {reading, json, notices} = await runInterruptible((signal) =>
      activate(client, {...request, signal}),
    );
    if (this.jsonEnabled()) {
      await this.write(`${jsonText(json)}\n`);
    } else {
      const palette = await paletteFor(this.colorLevel('stdout'));
      await this.write(await renderActivation(reading, {now: this.now, palette}));
    }
    await flushed();
    for (const line of notices) this.logToStderr(line);
  }
}

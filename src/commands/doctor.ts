import {describeSettings, examineService, type Finding} from '../cli/doctor.js';
import {ServiceCommand} from '../cli/service-command.js';
import {exitCodes} from '../errors.js';
import {renderFinding} from '../render/finding.js';
import {paletteFor} from '../render/palette.js';

export default class Doctor extends ServiceCommand<Finding[]> {
  static override description =
    'Shows each setting with where it came from, then tests the path to the service: name, TCP, TLS, HTTP, clock, API key. Exits 0 when all is well, and with the code of the first failure otherwise.';

  static override examples = ['<%= config.bin %> <%= command.id %>'];

  static override summary = 'Show what is configured and test the path to the service';

  async run(): Promise<Finding[]> {
    const settings = await this.settings(await this.parse(Doctor));
    const palette = await paletteFor(this.colourLevel('stdout'));
    const findings: Finding[] = [];
    const tell = async (finding: Finding) => {
      findings.push(finding);
      await this.print(renderFinding(finding, palette));
    };
    for (const finding of describeSettings(settings, this.profiles.path)) await tell(finding);
    for await (const finding of examineService(settings)) await tell(finding);
    const failure = findings.find(({ok}) => !ok);
    if (failure !== undefined) process.exitCode = exitCodes[failure.kind ?? 'bug'].code;
    return findings;
  }
}

import {BaseCommand} from '../cli/command/base-command.js';
import {completionText, killDuringLookup} from '../cli/completion/complete.js';
import {writeOut} from '../terminal/streams.js';

export default class Complete extends BaseCommand<undefined> {
  static override enableJsonFlag = false;

  static override hidden = true;

  // The words belong to another command line.
  static override strict = false;

  static override summary = 'Print completion candidates for the shell scripts';

  async run(): Promise<undefined> {
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    await writeOut(await completionText(words, this.config));
    killDuringLookup();
    return undefined;
  }

  // A `--json` among the words belongs to the other command line too.
  override jsonEnabled(): boolean {
    return false;
  }
}

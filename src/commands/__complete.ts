import {BaseCommand} from '../cli/command/base-command.js';
import {completionText} from '../cli/completion/candidates.js';

export default class Complete extends BaseCommand<undefined> {
  static override enableJsonFlag = false;

  static override hidden = true;

  // The words belong to another command line.
  static override strict = false;

  static override summary = 'Print completion candidates for the shell scripts';

  async run(): Promise<undefined> {
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    await this.io.result(await completionText(words, this.config, this.io));
    return undefined;
  }
}

import {BaseCommand} from '../cli/base-command.js';
import {completionText, leaveLookUps} from '../cli/completion/complete.js';
import {writeOut} from '../cli/terminal/streams.js';

export default class Complete extends BaseCommand<undefined> {
  static override enableJsonFlag = false;

  static override hidden = true;

  // The words are those of another command line, and none of them is meant for this one.
  static override strict = false;

  static override summary = 'Answer what the scripts of completion ask';

  async run(): Promise<undefined> {
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    await writeOut(await completionText(words, this.config));
    leaveLookUps();
    return undefined;
  }

  // `--json` among the words is not meant for this command either.
  override jsonEnabled(): boolean {
    return false;
  }
}

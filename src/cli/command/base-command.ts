import {Command, type Interfaces} from '@oclif/core';
import {globalFlags} from '../../flags.js';
import {jsonText} from '../../terminal/formats/json.js';
import {noteOutput, setQuiet, writeMessage, writeOut} from '../../terminal/streams.js';
import {noteCommandLine} from '../errors/command-line.js';
import {currentOutput} from '../output-mode.js';

/**
 * The base of all commands. A command returns its `Result`, which `--json` prints, and prints its human form with
 * `print`. One that writes JSON itself, as a list in parts, returns undefined. It throws errors; only `execute` shows them.
 */
export abstract class BaseCommand<Result> extends Command {
  static override baseFlags = globalFlags;
  static override enableJsonFlag = true;

  /** The flags, and the words of the command line as the framework reads them; empty before `parse`. */
  protected commandLine: Pick<Interfaces.ParserOutput, 'flags' | 'raw'> = {flags: {}, raw: []};

  abstract override run(): Promise<Result>;

  override jsonEnabled(): boolean {
    return currentOutput().mode === 'json';
  }

  /** Leaves the error to `execute`: the framework would show it. */
  override async catch(error: Error): Promise<never> {
    throw error;
  }

  /** Parses the command line, and notes it for the errors of the parser. Sets `--quiet`. */
  protected override async parse<
    F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(options?: Interfaces.Input<F, B, A>): Promise<Interfaces.ParserOutput<F, B, A>> {
    // The framework would read a missing argument from stdin, which belongs to the user; only `-` names it.
    for (const arg of Object.values(options?.args ?? this.ctor.args)) arg.ignoreStdin = true;
    const command = `${this.config.bin} ${this.id?.replaceAll(':', ' ')}`;
    // The framework adds --json and --help.
    const flags = {...this.ctor.baseFlags, ...this.ctor.flags, json: {}, help: {}};
    noteCommandLine({command, argv: this.argv, args: Object.keys(this.ctor.args), flags});
    const parsed = await super.parse(options);
    this.commandLine = parsed;
    setQuiet(this.commandLine.flags['quiet'] === true);
    return parsed;
  }

  override logJson(json: unknown): void {
    noteOutput();
    process.stdout.write(`${jsonText(json)}\n`);
  }

  /** Writes the human form of the result, but not under `--json`, which prints the returned value. */
  protected async print(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeOut(text);
  }

  /** Writes a line to stderr, but not under `--json`. A line for both modes goes to `writeMessage`. */
  override logToStderr(line: string): void {
    if (!this.jsonEnabled()) writeMessage(line);
  }
}

import {Command, type Interfaces} from '@oclif/core';
import {globalFlags} from '../../flags.js';
import {jsonText} from '../../terminal/formats/json.js';
import {refuseEmpty} from '../errors/command-line.js';
import type {ProcessIo} from '../process/io.js';
import type {CommandId} from '../process/lifetime.js';
import {ioOf} from '../process/run.js';

/**
 * The base of all commands. A command returns its `Result`, which `--json` prints, and prints its human form with
 * `print`. One that writes JSON itself, such as `list`, returns undefined. It throws errors; only `execute` shows them.
 * Its row in `lifetimes` says what its output is and what a signal does.
 */
export abstract class BaseCommand<Result> extends Command {
  static override baseFlags = globalFlags;
  static override enableJsonFlag = true;

  /** The flags, and the words of the command line as the framework reads them; empty before `parse`. */
  protected commandLine: Pick<Interfaces.ParserOutput, 'flags' | 'raw'> = {flags: {}, raw: []};

  abstract override run(): Promise<Result>;

  /** The output, the signals and the exit code of this run. */
  protected get io(): ProcessIo {
    return ioOf(this.config);
  }

  override jsonEnabled(): boolean {
    return this.io.json;
  }

  /** Leaves the error to `execute`: the framework would show it. */
  override async catch(error: Error): Promise<never> {
    throw error;
  }

  /** Parses the command line, and keeps it for errors. @throws AppError `usage`, as `refuseEmpty` and `io.begin` do */
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
    this.io.commandLine = {command, argv: this.argv, args: Object.keys(this.ctor.args), flags};
    const parsed = await super.parse(options);
    this.commandLine = parsed;
    refuseEmpty(parsed, this.io.commandLine);
    this.io.begin(this.id as CommandId, this.commandLine.flags);
    return parsed;
  }

  override logJson(json: unknown): void {
    void this.io.result(`${jsonText(json)}\n`);
  }

  /** Writes the human form of the result, but not under `--json`, which prints the returned value. */
  protected async print(text: string): Promise<void> {
    if (!this.io.json) await this.io.result(text);
  }

  /** Writes a line to stderr, but not under `--json`. A line for both modes goes to `io.note`. */
  override logToStderr(line: string): void {
    if (!this.io.json) this.io.note(line);
  }
}

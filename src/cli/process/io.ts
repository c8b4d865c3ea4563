import {setTimeout as sleep} from 'node:timers/promises';
import {isatty} from 'node:tty';
import {unquoted} from '../../domain/secret.js';
import {AppError, exitCodes} from '../../errors.js';
import {reasonOf} from '../../system/system-error.js';
import type {Io, LogOutput, Screen} from '../../terminal/io.js';
import {type CommandLine, outputWord, ownWords} from '../errors/command-line.js';
import {type CommandId, type Lifetime, lifetimeOf, lifetimeOfWords} from './lifetime.js';
import {droppedNotice, lossOfStdout, Output, processSink, remedyOf, streamSink} from './output.js';
import {type StatusLine, screenOf, statusLine} from './screen.js';
import {endWithoutTerminal, exitWithin, Signals} from './signals.js';

/** The content of stdout: JSON, the output of a monitoring plugin, text for people, or that of a wrapped command. */
type OutputMode = 'command' | 'json' | 'plugin' | 'text';

/** Least UTF-16 code units of joined texts: many single writes are slow, and one write of everything takes much memory. */
const partSize = 64 * 1024;

/** The parts of its process that one run of the command line controls: stdout, stderr, stop signals and exit code. */
export class ProcessIo implements Io {
  readonly argv: readonly string[];
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly signals: Signals;
  exitCode: number | undefined;
  consequence: string | undefined;
  isQuiet = false;
  /** The command line as errors of the parser show it. */
  commandLine: CommandLine;
  readonly isDebug: boolean;
  /** Whether the process runs only this command line, so that stdout and stderr are its own. */
  readonly #isOwn: boolean;
  readonly #terminals: readonly boolean[];
  readonly #out: Output;
  readonly #err: Output;
  readonly #status: StatusLine | undefined;
  readonly #told = new Set<string>();
  #hasNoInput = false;
  /** Whether stdout cannot be written any more. */
  #isLost = false;
  #row: Lifetime | undefined;
  #mode: OutputMode | undefined;

  /** @param isOwn whether the process runs this command line alone, rather than as a part of another program */
  constructor(argv: readonly string[], isOwn: boolean) {
    unquoteVariables(process.env);
    const words = ownWords(argv);
    this.argv = argv;
    this.commandLine = {command: 'connectorctl', argv, args: [], flags: {}};
    this.#isOwn = isOwn;
    // `isatty`, because creating Node's streams takes milliseconds.
    this.#terminals = isOwn
      ? [0, 1, 2].map(isatty)
      : [process.stdin, process.stdout, process.stderr].map(({isTTY}) => isTTY === true);
    const [, isOutTerminal = false, isErrTerminal = false] = this.#terminals;
    const allowsColor = !words.includes('--no-color');
    this.stdout = screenOf('stdout', isOutTerminal, allowsColor);
    this.stderr = screenOf('stderr', isErrTerminal, allowsColor);
    this.isDebug = words.includes('--debug') || isTrue(process.env['CONNECTORCTL_DEBUG']);
    const onLost = (error: NodeJS.ErrnoException) => this.#lose(error);
    const ignore = () => undefined;
    this.#out = new Output(isOwn ? processSink(1, onLost) : streamSink(process.stdout));
    this.#err = new Output(isOwn ? processSink(2, ignore) : streamSink(process.stderr));
    this.#row = lifetimeOfWords(argv);
    this.signals = new Signals(this.#row?.signal);
    if (this.stderr.canRedraw && !isInCi()) {
      this.#status = statusLine(
        (text) => this.#err.write(text),
        // Once stdout has data for another program, that program may be a pager that owns the terminal.
        () => !this.isQuiet && (isOutTerminal || !this.#out.hasBegun),
      );
    }
  }

  /** Begins a command. @throws AppError `usage` when its result would be lost */
  begin(id: CommandId, flags: Readonly<Record<string, unknown>>): void {
    const given = Object.keys(flags).filter((name) => flags[name] !== false);
    const row = lifetimeOf(id, this.argv.includes('--') ? [...given, '--'] : given);
    this.#row = row;
    this.isQuiet = flags['quiet'] === true;
    this.#hasNoInput = flags['no-input'] === true;
    this.#mode = modeOf(row, flags);
    this.signals.obey(row.signal);
    if (!('lost' in row && this.#isOwn)) return;
    const loss = lossOfStdout();
    if (loss === undefined) return;
    const {what, besides} = row.lost;
    const hint = [loss.remedy, besides].join(' ').trim();
    // stdout would lose an error object too.
    this.#mode = 'text';
    throw new AppError('usage', `${what} would be lost: stdout ${loss.how}.`, {hint});
  }

  /** The kind of output on stdout. Before the flags are parsed, it follows from the raw command line. */
  get mode(): OutputMode {
    return this.#mode ?? modeOf(this.#row, outputWord(this.commandLine, process.env));
  }

  get json(): boolean {
    return this.mode === 'json';
  }

  /** Whether stdout has a part of the result: an error object after it would make invalid JSON. */
  get hasBegun(): boolean {
    return this.#out.hasBegun;
  }

  /** Whether `--json` prints one value per line. */
  get hasJsonLines(): boolean {
    return this.#row?.json === 'lines';
  }

  get hasTerminal(): boolean {
    return this.#terminals.includes(true);
  }

  get stop(): AbortSignal {
    return this.signals.stop;
  }

  get canPrompt(): boolean {
    const [isIn = false, , isErr = false] = this.#terminals;
    return !this.#hasNoInput && !isInCi() && isIn && isErr;
  }

  async result(text: string): Promise<void> {
    this.clear();
    if (text === '' || this.#isLost) return;
    this.#out.writeAll(text);
    if (this.#isOwn) await this.#out.sink.drained();
  }

  async parts(texts: Iterable<string>): Promise<void> {
    let part = '';
    for (const text of texts) {
      if (this.#isLost) return;
      part += text;
      if (part.length < partSize) continue;
      await this.result(part);
      part = '';
    }
    await this.result(part);
  }

  async line(line: string): Promise<void> {
    if (this.#row?.stdout !== 'stream') throw new Error('Only a stream has lines; see lifetimes.');
    if (this.#row.readerGone === 'end') return this.result(`${line}\n`);
    this.clear();
    if (this.#isLost) return;
    // The notice goes to stderr, since stdout may hold JSON.
    const notice = (dropped: number) => {
      this.#err.write(droppedNotice(dropped, 'stdout'));
      return '';
    };
    this.#out.write(`${line}\n`, {notice});
  }

  note(line: string): void {
    if (!this.isQuiet) this.error(line);
  }

  noteOnce(line: string): void {
    if (!this.#told.has(line)) this.note(line);
    this.#told.add(line);
  }

  error(line: string): void {
    this.clear();
    this.#err.write(`${line}\n`);
  }

  get log(): LogOutput {
    const write: LogOutput['write'] = (text, options) => {
      this.clear();
      this.#err.write(text, options);
    };
    return {write, hasRoom: () => this.#err.hasRoom()};
  }

  /**
   * Resolves once the operating system has all output. After a stop signal, and after the end of a wrapped command, no
   * reader delays the end of the process by more than a second.
   */
  async settled(): Promise<void> {
    const outputs = this.#out.hasBegun ? [this.#out, this.#err] : [this.#err];
    const all = Promise.all(outputs.map(({sink}) => sink.drained()));
    const isBounded = this.signals.hasStopped || this.#row?.stdout === 'of-the-command';
    await (isBounded ? Promise.race([all, sleep(exitWithin)]) : all);
  }

  progress(text: () => string | undefined): () => void {
    return this.#status?.begin(text) ?? (() => undefined);
  }

  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.signals.interruptible(work);
  }

  takeSignals() {
    return this.signals.takeSignals();
  }

  /** Clears temporary output from the terminal. */
  clear(): void {
    this.#status?.clear();
  }

  /**
   * Handles a failed write to stdout. When the reader closes the pipe early (`| head -1`), most commands go on silently,
   * and feeds and screens end. Another error, or a closed pipe for an only copy, is fatal, unless the work goes on.
   */
  #lose(error: NodeJS.ErrnoException): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const {readerGone = 'go-on'} = this.#row ?? {};
    const goesOn = this.#row && 'goesOn' in this.#row ? this.#row.goesOn : undefined;
    if (error.code === 'EPIPE') {
      if (readerGone === 'end') this.signals.end(this.exitCode ?? exitCodes.ok.code);
      if (readerGone === 'go-on' && goesOn === undefined) return;
    }
    if (this.stdout.isTerminal && goesOn === undefined) endWithoutTerminal(error);
    const failure = `Cannot write the output: ${reasonOf(error)}.`;
    if (goesOn !== undefined) {
      this.error(`${failure} ${goesOn}`);
      return;
    }
    this.error(`Error: ${failure}\n  ${this.consequence ?? remedyOf(error)}`);
    // Exit code 0 would hide that the report was not written.
    this.signals.end(this.exitCode || exitCodes.usage.code);
  }

  /** Reports how much output is still unread when the process stops waiting for its reader. */
  tellUnread(): void {
    const {waiting} = this.#out.sink;
    if (waiting > 0) this.error(`Stopped with about ${waiting} bytes of output that nobody read.`);
  }
}

/** Whether this runs in continuous integration. */
function isInCi(): boolean {
  return !['', '0', 'false'].includes(process.env['CI'] ?? '');
}

/** Whether a variable is true, by the words that the framework accepts for a flag's variable. */
const isTrue = (value: string | undefined) => /^(1|true|y|yes)$/i.test(value ?? '');

/** The content of stdout that these flags ask for. */
function modeOf(
  lifetime: Lifetime | undefined,
  {json, output}: Readonly<Record<string, unknown>>,
): OutputMode {
  if (lifetime?.stdout === 'of-the-command') return 'command';
  if (lifetime?.json === 'own') return 'text';
  if (json === true || output === 'json') return 'json';
  return output === 'nagios' ? 'plugin' : 'text';
}

/** Removes the quotes that a value keeps when no shell reads the environment file, as with `docker run --env-file`. */
function unquoteVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith('CONNECTORCTL_')) env[name] = unquoted(env[name] ?? '');
  }
}

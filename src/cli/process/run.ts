import {setImmediate as loopTurn} from 'node:timers/promises';
import {type Interfaces, run} from '@oclif/core';
import {type AppError, exitCodes} from '../../errors.js';
import {report} from '../errors/report.js';
import {hideSecretArguments} from '../process-title.js';
import {versionText} from '../version.js';
import {ProcessIo} from './io.js';
import {endWithoutTerminal} from './signals.js';

/** The run that a command or a hook belongs to. The framework's options carry it. */
export function ioOf(config: Interfaces.Config): ProcessIo {
  return (config as unknown as {readonly options: {readonly io: ProcessIo}}).options.io;
}

/**
 * Runs the command line and ends the process. It exits explicitly: an open handle must not keep a script waiting.
 *
 * @param framework options of the framework, at least the root directory of the package
 */
export async function main(framework: Interfaces.Options): Promise<never> {
  const argv = process.argv.slice(2);
  hideSecretArguments(argv);
  const io = new ProcessIo(argv, true);
  process.once('uncaughtException', async (error) => {
    // A prompt whose terminal has gone fails like this.
    endWithoutTerminal(error);
    io.signals.end(await report(error, io));
  });
  io.signals.listen(
    (error) => reportInterrupt(error, io),
    () => io.tellUnread(),
  );
  // A signal that arrived while the program loaded ends the command before it begins.
  await loopTurn();
  const code = await execute(framework, argv, io);
  await io.settled();
  return io.signals.end(code);
}

/** Runs the command line and returns the exit code, without ending the process. */
export async function execute(
  framework: Interfaces.Options,
  argv: string[],
  io = new ProcessIo(argv, false),
): Promise<number> {
  // The framework would also search for user plugins in the home directory, which may be unreadable.
  const options = {...framework, userPlugins: false, io};
  try {
    const version = versionText(argv, framework.pjson?.version);
    // `help` alone means `--help`: the framework's own command would read its argument from stdin.
    const words = argv.join(' ') === 'help' ? ['--help'] : argv;
    await (version === undefined ? run(words, options) : io.result(version));
    // A command whose result is a verdict (doctor) sets the code and returns.
    return io.exitCode ?? exitCodes.ok.code;
  } catch (error) {
    if (io.signals.isEnd(error)) return io.exitCode ?? exitCodes.ok.code;
    return report(await suggested(error, options), io);
  }
}

/** Replaces the error of `help` for an unknown command by that of the hook for unknown commands, with a suggestion. */
async function suggested(error: unknown, options: Interfaces.Options): Promise<unknown> {
  const id = error instanceof Error && /^Command (\S+) not found\.$/.exec(error.message)?.[1];
  if (!id) return error;
  // No command has this id, so this only runs the hook.
  return run(id.split(':'), options).catch((better: unknown) => better);
}

/** Reports an interrupt only to programs: users know that they pressed Ctrl-C. */
async function reportInterrupt(error: AppError, io: ProcessIo): Promise<void> {
  io.clear();
  // The terminal has echoed ^C: the shell's prompt must not follow on that line.
  if (io.mode === 'text' && io.stderr.isTerminal) io.error('');
  if (io.mode === 'command' || io.mode === 'text') return;
  const code = await report(error, io);
  if (io.mode === 'plugin') io.signals.end(code);
}

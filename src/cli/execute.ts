import {type Interfaces, run} from '@oclif/core';
import {redactSecrets} from '../domain/secret.js';
import {AppError, exitCodes} from '../errors.js';
import {jsonText} from '../terminal/formats/json.js';
import {paletteFor} from '../terminal/palette.js';
import {endProcess, isSignalExitCode} from '../terminal/signals.js';
import {
  clearTerminal,
  flushed,
  noteOutput,
  outputHasBegun,
  writeError,
  writeOut,
} from '../terminal/streams.js';
import {type FrameworkError, usageError, withoutFrameworkWords} from './errors/command-line.js';
import {beginOutput, currentOutput} from './output-mode.js';
import {versionJson} from './version.js';

/** Runs the command line and returns the exit code, without ending the process. */
export async function execute(framework: Interfaces.Options, argv: string[]): Promise<number> {
  // The framework would also search for user plugins in the home directory, which may be unreadable.
  const options = {...framework, userPlugins: false};
  noteOutput(false);
  beginOutput(argv, process.env);
  try {
    const version = versionJson(argv, framework.pjson?.version);
    // `help` alone is the flag: the framework's command would read its argument from stdin.
    const words = argv.join(' ') === 'help' ? ['--help'] : argv;
    await (version === undefined ? run(words, options) : writeOut(version));
    // A command whose result is a verdict (doctor) sets the code and returns.
    return Number(process.exitCode ?? exitCodes.ok.code);
  } catch (error) {
    return report(await suggested(error, options));
  }
}

/** Adds a suggestion to the failed help of an unknown command: the hook for unknown commands finds one. */
async function suggested(error: unknown, options: Interfaces.Options): Promise<unknown> {
  const id = error instanceof Error && /^Command (\S+) not found\.$/.exec(error.message)?.[1];
  if (!id) return error;
  // It is not a command, so this only runs the hook.
  return run(id.split(':'), options).catch((better: unknown) => better);
}

/**
 * Turns anything thrown into an `AppError` with its hint. The framework's errors about the command line become `usage`;
 * any other error is a bug.
 */
export async function toAppError(error: unknown): Promise<AppError> {
  if (error instanceof AppError) {
    const {withHint} = await errorTexts();
    return withoutFrameworkWords(withHint(error));
  }
  const thrown: FrameworkError = error instanceof Error ? error : new Error(String(error));
  if (thrown.oclif?.exit === 2) return usageError(thrown);
  return new AppError('internal', redactSecrets(`Unexpected error: ${thrown.message}`), {
    hint: 'This is a bug in connectorctl. Please report it with the command line and its output with CONNECTORCTL_DEBUG=1, which hides secrets.',
    cause: thrown,
  });
}

/** Loaded only for an error: other runs need none of its texts. */
const errorTexts = () => import('../terminal/errors.js');

/** Reports anything thrown in the output mode of the command line, and returns the exit code. */
export async function report(thrown: unknown): Promise<number> {
  const error = await toAppError(thrown);
  const {errorJson, renderError} = await errorTexts();
  const {mode, isDebug} = currentOutput();
  if (mode === 'plugin') return reportAsPlugin(error);
  // A command that runs another program has chosen the exit code.
  const exitCode = Number((mode === 'command' && process.exitCode) || error.exitCode);
  // Set first: a full disk may end the process before this function returns.
  process.exitCode = exitCode;
  // Users know that they pressed Ctrl-C, so only a hint is worth showing.
  const isOwnInterrupt =
    isSignalExitCode(exitCode) && error.reason === 'cancelled' && error.hint === undefined;
  // An error quotes the command line, where a secret may be in the wrong place.
  if (mode === 'json' && !outputHasBegun()) {
    noteOutput();
    process.stdout.write(redactSecrets(`${jsonText(errorJson(error))}\n`));
  } else if (!isOwnInterrupt) {
    writeError(redactSecrets(renderError(error, await paletteFor(process.stderr))));
  }
  if (error.cause instanceof Error && isDebug) {
    writeError(redactSecrets(error.cause.stack ?? error.cause.message));
  }
  return exitCode;
}

/** Reports an interrupt only to programs: users know that they pressed Ctrl-C. */
export async function reportInterrupt(error: AppError): Promise<void> {
  clearTerminal();
  const {mode} = currentOutput();
  if (mode === 'command' || mode === 'text') return;
  const code = await report(error);
  await flushed();
  if (mode === 'plugin') endProcess(code);
}

/** A monitoring system accepts only four states, also for a wrong flag or an internal error. */
async function reportAsPlugin(error: AppError): Promise<number> {
  const nagios = await import('../report/formats/nagios.js');
  const state = nagios.stateOfError(error);
  process.exitCode = nagios.nagiosExitCodes[state];
  noteOutput();
  process.stdout.write(nagios.nagiosOutput(state, redactSecrets(error.message)));
  return nagios.nagiosExitCodes[state];
}

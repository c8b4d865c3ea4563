import {type Interfaces, run} from '@oclif/core';
import {redactSecrets} from '../domain/secret.js';
import {AppError, exitCodes} from '../errors.js';
import {hasCode, reasonOf} from '../system/system-error.js';
import {colorLevel, isTrue} from '../terminal/capabilities.js';
import {errorJson, renderError} from '../terminal/errors/view.js';
import {jsonText} from '../terminal/formats/json.js';
import {noColors, paletteFor} from '../terminal/palette.js';
import {endProcess, hangUp, isSignalExitCode, reportInterrupts} from '../terminal/signals.js';
import {
  clearTerminal,
  noteOutput,
  outputHasBegun,
  watchStreams,
  writeError,
  writeOut,
} from '../terminal/streams.js';
import {toAppError} from './errors/command-line.js';
import {beginOutput, currentOutputMode} from './output-mode.js';
import {hideSecretArguments} from './process-title.js';
import {versionInfo} from './version.js';

/**
 * Runs the command line and ends the process: the one place where errors become output and exit
 * codes. It exits explicitly: an open handle must not keep a script waiting.
 *
 * @param framework options of the framework, at least the root directory of the package
 */
export async function main(framework: Interfaces.Options): Promise<never> {
  const argv = process.argv.slice(2);
  hideSecretArguments(argv);
  watchStreams(exitWithoutOutput);
  process.once('uncaughtException', async (error) => {
    // A prompt fails with EIO when its terminal has gone, perhaps before the signal arrives.
    if (hasCode(error, 'EIO')) hangUp();
    process.exit(await report(error, argv));
  });
  reportInterrupts((error) => reportInterrupt(error, argv));
  const code = await execute(framework, argv);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  endProcess(code);
}

/** Runs the command line and returns the exit code, without ending the process. */
export async function execute(framework: Interfaces.Options, argv: string[]): Promise<number> {
  noteOutput(false);
  beginOutput(argv, process.env);
  try {
    // `help` alone is the flag: the framework's command would read its argument from stdin. The framework would
    // also search for user plugins in the home directory, which may be unreadable.
    const options = {...framework, userPlugins: false};
    if (isVersionJson(argv)) await printVersion(framework);
    else await run(argv.join(' ') === 'help' ? ['--help'] : argv, options);
    // A command whose result is a verdict (doctor) sets the code and returns.
    return Number(process.exitCode ?? exitCodes.ok.code);
  } catch (error) {
    return report(await suggested(error, framework), argv);
  }
}

/** `--version --json`: the framework would ignore the second word. */
function isVersionJson([first = '', ...others]: readonly string[]): boolean {
  return ['--version', '-v', '-V'].includes(first) && others.includes('--json');
}

async function printVersion({pjson}: Interfaces.Options): Promise<void> {
  await writeOut(`${jsonText(versionInfo(String(pjson?.version)))}\n`);
}

/** Adds a suggestion to the failed help of an unknown command: the hook for unknown commands finds one. */
async function suggested(error: unknown, framework: Interfaces.Options): Promise<unknown> {
  const id = error instanceof Error && /^Command (\S+) not found\.$/.exec(error.message)?.[1];
  if (!id) return error;
  // It is not a command, so this only runs the hook.
  return run(id.split(':'), {...framework, userPlugins: false}).catch((better: unknown) => better);
}

async function report(thrown: unknown, argv: readonly string[]): Promise<number> {
  const error = await toAppError(thrown, {command: 'connectorctl', argv, flags: {}});
  const mode = currentOutputMode();
  if (mode === 'plugin') return reportAsPlugin(error);
  // A command that runs another program has chosen the exit code.
  const exitCode = Number((mode === 'command' && process.exitCode) || error.exitCode);
  // Set first: a closed pipe may end the process before this function returns.
  process.exitCode = exitCode;
  // An error quotes the command line, where a secret may be in the wrong place.
  if (mode === 'json' && !outputHasBegun()) {
    process.stdout.write(redactSecrets(`${jsonText(errorJson(error))}\n`));
  } else if (!isExpected(error, exitCode)) {
    const palette = await paletteFor(colorLevel(process.stderr, argv.includes('--no-color')));
    writeError(redactSecrets(renderError(error, palette)));
  }
  if (error.cause instanceof Error && isDebug(argv)) {
    writeError(redactSecrets(error.cause.stack ?? error.cause.message));
  }
  return exitCode;
}

/** Users know that they pressed Ctrl-C, so only a hint is worth showing. */
function isExpected({reason, hint}: AppError, exitCode: number): boolean {
  return isSignalExitCode(exitCode) && reason === 'cancelled' && hint === undefined;
}

/** A monitoring system accepts only four states, also for a wrong flag or an internal error. */
async function reportAsPlugin(error: AppError): Promise<number> {
  const {nagiosOutput, nagiosExitCodes, stateOfError} = await import('../report/formats/nagios.js');
  const state = stateOfError(error);
  process.exitCode = nagiosExitCodes[state];
  process.stdout.write(nagiosOutput(state, redactSecrets(error.message)));
  return nagiosExitCodes[state];
}

/** Reports an interrupt only to programs: users know that they pressed Ctrl-C. */
async function reportInterrupt(error: AppError, argv: readonly string[]): Promise<void> {
  clearTerminal();
  const mode = currentOutputMode();
  if (mode === 'command' || mode === 'text') return;
  const code = await report(error, argv);
  await drained(process.stdout);
  if (mode === 'plugin') process.exit(code);
}

function exitWithoutOutput(
  cause: NodeJS.ErrnoException,
  quietly: boolean,
  consequence = 'Free some space there, or redirect the output elsewhere.',
): void {
  if (quietly) process.exit(process.exitCode ?? exitCodes.ok.code);
  const error = new AppError('usage', `Cannot write the output: ${reasonOf(cause)}.`, {
    hint: consequence,
  });
  writeError(renderError(error, noColors));
  process.exit(process.exitCode ?? error.exitCode);
}

function isDebug(argv: readonly string[]): boolean {
  return argv.includes('--debug') || isTrue(process.env['CONNECTORCTL_DEBUG']);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

import {type Interfaces, run} from '@oclif/core';
import {redactSecrets} from '../domain/secret.js';
import {AppError, exitCodes} from '../errors.js';
import {errorJson, renderError} from '../render/error.js';
import {jsonText} from '../render/formats/json.js';
import {noColours, paletteFor} from '../render/palette.js';
import {reasonOf} from './errors/system-error.js';
import {CommandFailure, toAppError} from './errors/to-app-error.js';
import {errorMode, jsonRequested} from './output-mode.js';
import {hideSecretArguments} from './process-title.js';
import {colourLevel, isTrue} from './terminal/capabilities.js';
import {endProcess, reportInterrupts} from './terminal/signals.js';
import {clearTerminal, watchStreams, writeMessage} from './terminal/streams.js';

/**
 * Runs the command line and ends the process: the one place where errors become output and exit
 * codes. The exit is explicit, so that nothing left open can keep a script waiting.
 *
 * @param framework where the package is, for the framework to find the rest there; or all of it
 */
export async function main(
  framework: Interfaces.Options,
  argv = process.argv.slice(2),
): Promise<never> {
  hideSecretArguments(argv);
  watchStreams(leaveWithoutOutput);
  process.once('uncaughtException', async (error) => process.exit(await report(error, argv)));
  reportInterrupts((error) => reportInterrupt(error, argv));
  const code = await execute(framework, argv);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  endProcess(code);
}

/** Runs the command line to its end and returns the exit code; `main` without the process around it. */
export async function execute(framework: Interfaces.Options, argv: string[]): Promise<number> {
  try {
    // Plugins of the user's own would be looked for in the home directory, which need not be readable.
    await run(argv, {...framework, userPlugins: false});
    // A command whose result is itself a verdict (doctor) sets the code and returns.
    return Number(process.exitCode ?? exitCodes.ok.code);
  } catch (error) {
    return report(error, argv);
  }
}

async function report(thrown: unknown, argv: readonly string[]): Promise<number> {
  const {error, json} = await toFailure(thrown, argv);
  // Stays, should a reader that has gone keep us from getting to the end.
  process.exitCode = error.exitCode;
  // An error quotes what was typed; a secret in the wrong place must not come back.
  if (json) {
    process.stdout.write(redactSecrets(`${jsonText(errorJson(error))}\n`));
  } else {
    const palette = await paletteFor(colourLevel(process.stderr, argv.includes('--no-color')));
    writeMessage(redactSecrets(renderError(error, palette)));
  }
  if (error.cause instanceof Error && isDebug(argv)) {
    writeMessage(redactSecrets(error.cause.stack ?? error.cause.message));
  }
  return error.exitCode;
}

/** People know what they did; scripts that asked for JSON get an error object. */
async function reportInterrupt(error: AppError, argv: readonly string[]): Promise<void> {
  const mode = errorMode(argv);
  clearTerminal();
  if (mode === 'text') return;
  await report(new CommandFailure(error, mode === 'json'), argv);
  await drained(process.stdout);
}

/** What was thrown where no command ran yet gets the mode that the command line asks for. */
async function toFailure(thrown: unknown, argv: readonly string[]): Promise<CommandFailure> {
  if (thrown instanceof CommandFailure) return thrown;
  const error = await toAppError(thrown, {command: 'connectorctl', argv, flags: {}});
  return new CommandFailure(error, jsonRequested(argv));
}

function leaveWithoutOutput(
  cause: NodeJS.ErrnoException,
  quietly: boolean,
  consequence = 'Make room where the output goes, or send it elsewhere.',
): void {
  if (quietly) process.exit(process.exitCode ?? exitCodes.ok.code);
  const error = new AppError('usage', `Cannot write the output: ${reasonOf(cause)}.`, {
    hint: consequence,
  });
  writeMessage(renderError(error, noColours));
  process.exit(process.exitCode ?? error.exitCode);
}

function isDebug(argv: readonly string[]): boolean {
  return argv.includes('--debug') || isTrue(process.env['CONNECTORCTL_DEBUG']);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

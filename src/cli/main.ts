import {run} from '@oclif/core';
import {redactSecrets} from '../domain/redaction.js';
import {type AppError, exitCodes} from '../errors.js';
import {errorJson, renderError} from '../render/error.js';
import {jsonText} from '../render/json.js';
import {paletteFor} from '../render/palette.js';
import {jsonRequested} from './output-mode.js';
import {toAppError} from './report.js';
import {leaveQuietlyOnClosedPipe, say} from './streams.js';
import {colourLevel} from './terminal.js';

/**
 * Runs the command line and ends the process: the one place where errors become output and exit
 * codes. The exit is explicit, so that nothing left open can keep a script waiting.
 *
 * @param root the file URL of the executable, from which the framework finds package.json
 */
export async function main(root: string, argv = process.argv.slice(2)): Promise<never> {
  // A secret given as `--token VALUE` leaves the process list here, before anything slow is done.
  process.title = 'connectorctl';
  leaveQuietlyOnClosedPipe();
  const code = await execute(root, argv);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(code);
}

/** Runs the command line to its end and returns the exit code; `main` without the process around it. */
export async function execute(root: string, argv: string[]): Promise<number> {
  try {
    await run(argv, root);
    // A command whose result is itself a verdict (doctor) sets the code and returns.
    return Number(process.exitCode ?? exitCodes.ok.code);
  } catch (error) {
    return report(toAppError(error, 'connectorctl'), argv);
  }
}

async function report(error: AppError, argv: readonly string[]): Promise<number> {
  // An error quotes what was typed; a secret in the wrong place must not come back.
  if (jsonRequested(argv)) {
    process.stdout.write(redactSecrets(`${jsonText(errorJson(error))}\n`));
  } else {
    const palette = await paletteFor(colourLevel(process.stderr, argv.includes('--no-color')));
    say(redactSecrets(renderError(error, palette)));
  }
  if (error.cause instanceof Error && isDebug(argv)) {
    say(redactSecrets(error.cause.stack ?? error.cause.message));
  }
  return error.exitCode;
}

function isDebug(argv: readonly string[]): boolean {
  return argv.includes('--debug') || Boolean(process.env['CONNECTORCTL_DEBUG']);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

import type {Interfaces} from '@oclif/core';
import {exitCodes} from '../errors.js';
import {hasCode, reasonOf} from '../system/system-error.js';
import {endProcess, hangUp, reportInterrupts} from '../terminal/signals.js';
import {drained, flushed, watchStreams, writeError} from '../terminal/streams.js';
import {execute, report, reportInterrupt} from './execute.js';
import {hideSecretArguments} from './process-title.js';

/**
 * Runs the command line and ends the process. It exits explicitly: an open handle must not keep a script waiting.
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
    endProcess(await report(error));
  });
  reportInterrupts(reportInterrupt);
  const code = await execute(framework, argv);
  await Promise.all([flushed(), drained(process.stderr)]);
  endProcess(code);
}

/** Ends the process with an error when stdout cannot be written. */
function exitWithoutOutput(
  cause: NodeJS.ErrnoException,
  consequence = 'Free some space there, or redirect the output elsewhere.',
): void {
  writeError(`Error: Cannot write the output: ${reasonOf(cause)}.\n  ${consequence}`);
  // A verdict of success does not hold for a report that nobody got.
  endProcess(Number(process.exitCode || exitCodes.usage.code));
}

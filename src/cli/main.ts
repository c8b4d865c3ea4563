import {type Interfaces, run} from '@oclif/core';
import {exitCodes} from '../errors.js';
import {hasCode} from '../system/system-error.js';
import {endProcess, hangUp, reportInterrupts} from '../terminal/signals.js';
import {noteOutput, watchStreams, writeOut} from '../terminal/streams.js';
import {exitWithoutOutput, report, reportInterrupt} from './errors/report.js';
import {beginOutput} from './output-mode.js';
import {hideSecretArguments} from './process-title.js';
import {versionJson} from './version.js';

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
    process.exit(await report(error));
  });
  reportInterrupts(reportInterrupt);
  const code = await execute(framework, argv);
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  endProcess(code);
}

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

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

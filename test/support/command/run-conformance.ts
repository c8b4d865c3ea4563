import {Parser} from '@oclif/core';
import {exitCodeOf} from '../../../src/cli/command/report-command.js';
import {
  conformanceFlags,
  examineService,
  selectChecks,
} from '../../../src/conformance/command/run.js';
import {renderConformance} from '../../../src/conformance/command/text.js';
import * as suite from '../../../src/conformance/suite.js';
import {jsonReport} from '../../../src/report/formats/json.js';
import {virtualTime} from '../../../src/sandbox/client.js';
import {noColors} from '../../../src/terminal/escape.js';
import {fakeIo} from '../process/io.js';
import {skippingClock} from '../time/skipping-clock.js';
import {type CommandRun, runCommand} from './run-command.js';

/** The API keys of the service, of two organizations. */
export const key = 'key-of-organization-one';
export const secondKey = 'key-of-organization-two';
export const keys = {[key]: 'one', [secondKey]: 'two'};

/** Permission to write to a service of the tests. */
export const writes = ['--writes-to', '127.0.0.1'];

/** Runs `conformance` with the first key. */
export function runConformance(
  url: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  return runCommand(['conformance', '--base-url', url, ...flags], {
    CONNECTORCTL_API_KEY: key,
    ...env,
  });
}

/**
 * What `conformance` finds with these flags, without the command line around it, and with a clock that skips every
 * wait.
 *
 * @returns the exit code, and the report as text, or as JSON
 */
export async function examine(
  url: string,
  {flags: words, apiKey = key, json = false, timeout, clock = skippingClock().clock}: Examination,
): Promise<{readonly code: number; readonly stdout: string}> {
  const {flags} = await Parser.parse([...words], {flags: conformanceFlags});
  const io = fakeIo();
  const adopt = await virtualTime({}, io);
  const selected = selectChecks(suite.checks, flags);
  const client = {baseUrl: url, apiKey, timeout};
  const {signal} = new AbortController();
  const run = await examineService(client, {suite, selected, flags}, {signal, clock, io, adopt});
  const stdout = json
    ? jsonReport(run.report)
    : renderConformance(run.report, noColors, flags['open-points']);
  return {code: run.error?.exitCode ?? exitCodeOf(run.report), stdout};
}

interface Examination {
  readonly flags: readonly string[];
  readonly apiKey?: string;
  readonly json?: boolean;
  readonly timeout?: number;
  readonly clock?: ReturnType<typeof skippingClock>['clock'];
}

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

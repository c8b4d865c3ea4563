import {spawnSync} from 'node:child_process';
import path from 'node:path';
import type {Subject} from './runs.js';

/** A way to start the command line, and the Node that it is compared with. */
export interface Group {
  readonly title: string;
  /** The command line, as it is typed. */
  readonly command: string;
  /** The directory of a Node. */
  readonly nodeDirectory: string;
}

/** The base URLs of two services: one with one connector, and one with a hundred. */
interface Services {
  readonly one: string;
  readonly hundred: string;
}

export const id = 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV';

export const ghInstalled = spawnSync('gh', ['--version']).status === 0;

/** Everything that is timed, by the names that the rows of the table use. */
export function subjectsOf(
  {command, nodeDirectory}: Group,
  services: Services,
  directory: string,
): Map<string, Subject> {
  // Without the environment of this process: a variable for Node may cost as much as a command.
  const env = {
    PATH: `${nodeDirectory}:${process.env['PATH']}`,
    HOME: path.join(directory, 'home'),
    CONNECTORCTL_BASE_URL: services.one,
    CONNECTORCTL_API_KEY: 'a-key',
    GH_CONFIG_DIR: path.join(directory, 'gh'),
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_TOKEN: 'a-token',
  };
  const ours = (...words: readonly string[]): Subject => ({command: [command, ...words], env});
  const theirs = (...words: readonly string[]): Subject => ({command: words, env});
  const firstHome = path.join(directory, 'first-home');
  const get = ours('connector', 'get', id);
  return new Map<string, Subject>([
    ['node -e 0', theirs(path.join(nodeDirectory, 'node'), '-e', '0')],
    ['connector get ID', get],
    ...(ghInstalled
      ? ([
          ['gh api', theirs('gh', 'api', `${services.one}/api/connectors/${id}`)],
          ['gh --version', theirs('gh', '--version')],
        ] as const)
      : []),
    ['connector list (100)', ours('connector', 'list', '--base-url', services.hundred)],
    ['--version', ours('--version')],
    ['--help', ours('--help')],
    ['connector get --help', ours('connector', 'get', '--help')],
    [
      'connector get ID, first run',
      {...get, env: {...env, HOME: firstHome}, without: path.join(firstHome, '.cache')},
    ],
  ]);
}

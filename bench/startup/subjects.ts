import {spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import path from 'node:path';
import {findProgram} from '../../test/support/postgres/binaries.js';
import {connectorId} from '../fleet.js';

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

export const ghInstalled = findProgram('gh') !== undefined;

/** Runs a process to its end. Returns milliseconds. @param env the complete environment @throws when it fails */
function run(command: readonly string[], env: Readonly<Record<string, string>>): number {
  const [program = '', ...words] = command;
  const startedAt = performance.now();
  const {status, error, stderr} = spawnSync(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const took = performance.now() - startedAt;
  if (status !== 0) throw error ?? new Error(`${command.join(' ')}: ${stderr}`);
  return took;
}

/** Everything that is timed, by the names that the rows of the table use. */
export function subjectsOf(
  {command, nodeDirectory}: Group,
  services: Services,
  directory: string,
): Record<string, () => number> {
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
  const timed = (...words: readonly string[]) => {
    return () => run(words, env);
  };
  const id = connectorId(0);
  const firstHome = path.join(directory, 'first-home');
  return {
    'node -e 0': timed(path.join(nodeDirectory, 'node'), '-e', '0'),
    'connector get ID': timed(command, 'connector', 'get', id),
    ...(ghInstalled
      ? {
          'gh api': timed('gh', 'api', `${services.one}/api/connectors/${id}`),
          'gh --version': timed('gh', '--version'),
        }
      : {}),
    'connector list (100)': timed(command, 'connector', 'list', '--base-url', services.hundred),
    '--version': timed(command, '--version'),
    '--help': timed(command, '--help'),
    'connector get --help': timed(command, 'connector', 'get', '--help'),
    'connector get ID, first run'() {
      rmSync(path.join(firstHome, '.cache'), {recursive: true, force: true});
      return run([command, 'connector', 'get', id], {...env, HOME: firstHome});
    },
  };
}

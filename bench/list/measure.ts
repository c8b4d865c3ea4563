import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {root} from '../../scripts/build/root.js';
import {findProgram} from '../../test/support/postgres/binaries.js';
import {runMeasured} from '../../test/support/process/child.js';
import {type Figure, mebibytes, upTo} from '../figures.js';
import {alternate} from '../runs.js';

/** A running service with a list. */
export interface Service {
  readonly title: string;
  readonly url: string;
}

/** A row of the table. */
interface Row {
  readonly name: string;
  /** The options of `connector list`. */
  readonly words: string;
  /** The name of the peer. */
  readonly peer: keyof typeof peers;
  /** The largest ratio. */
  readonly most?: number;
  /** Whether it holds the whole list in memory, so that memory has no target. */
  readonly collects?: boolean;
}

/** What the output of curl is piped into. The names have no bar, which would end a cell of the table. */
const peers = {
  'curl, jq': "jq -c '.[]'",
  'curl, jq @csv':
    "jq -r '.[]|[.id,.name,.organization,.status,.activated_at,.last_heartbeat_at]|@csv'",
  'curl, gojq': 'gojq --yaml-output .',
} as const;

const rows: readonly Row[] = [
  {name: 'json', words: '--json', peer: 'curl, jq', most: 0.5},
  {name: 'csv', words: '-o csv', peer: 'curl, jq @csv', most: 1},
  {name: 'id', words: '-o id', peer: 'curl, jq'},
  {name: 'table', words: '-o table', peer: 'curl, jq', most: 0.7},
  {name: 'status', words: '--status offline -o id', peer: 'curl, jq'},
  {name: 'sort', words: '--sort last_heartbeat_at', collects: true, peer: 'curl, jq'},
  {name: 'yaml', words: '-o yaml', peer: 'curl, gojq', most: 0.5},
];

/** Maximum memory of 100,000 connectors. */
const mostMemory = 250 * 1024 * 1024;

const run = path.join(root, 'bin/run.js');

/** Runs a shell command whose output another process counts. Returns its CPU time in seconds. */
function cpuTime(command: string, {url}: Service): number {
  const env = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: process.env['HOME'],
    TIMEFORMAT: '%3U %3S',
    CONNECTORCTL_BASE_URL: url,
    CONNECTORCTL_API_KEY: 'a-key',
  };
  const script = `set -o pipefail; { time { ${command}; }; } | wc -c`;
  const {status, stdout, stderr} = spawnSync('bash', ['-c', script], {env, encoding: 'utf8'});
  const [user, system] = (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined || Number(stdout) === 0) {
    throw new Error(`${command}: status ${status}, ${stdout.trim()} bytes: ${stderr}`);
  }
  return user + system;
}

const ours = (row: Row) => `node ${run} connector list ${row.words}`;
const isChosen = (only: readonly string[]) => (row: Row) =>
  only.length === 0 || only.includes(row.name);
const isInstalled = ({peer}: Row): boolean =>
  findProgram(peers[peer].split(' ', 1)[0] ?? '') !== undefined;

/** The CPU times of the chosen rows; the commands alternate. */
export async function measureTimes(
  service: Service,
  rounds: number,
  only: readonly string[],
): Promise<Figure[]> {
  const wanted = rows.filter(isChosen(only));
  const chosen = wanted.filter(isInstalled);
  for (const {name, peer} of wanted.filter((row) => !chosen.includes(row)))
    console.log(`Left out: ${name} against ${peer}, which is not installed.`);
  const curl = `curl -s ${service.url}/api/connectors`;
  const timed = (command: string) => () => cpuTime(command, service);
  const commands = Object.fromEntries([
    ...chosen.map(({peer}) => [peer, timed(`${curl} | ${peers[peer]}`)] as const),
    ...chosen.map((row) => [row.name, timed(ours(row))] as const),
  ]);
  const times = await alternate(commands, rounds);
  const seconds = (name: string) => Math.min(...(times[name] ?? []));
  return chosen.map(({name, peer, most}) => ({
    what: `${name}: ${service.title}`,
    measured: `${seconds(name).toFixed(2)} s`,
    against: `${peer}: ${seconds(peer).toFixed(2)} s`,
    ...upTo(seconds(name) / seconds(peer), most),
  }));
}

/** The peak memory of each of the chosen rows, except those that have to hold the whole list. */
export async function measureMemory(
  {title, url}: Service,
  directory: string,
  only: readonly string[],
): Promise<Figure[]> {
  const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'a-key'};
  const figures: Figure[] = [];
  for (const {name, words} of rows.filter(isChosen(only)).filter(({collects}) => !collects)) {
    const argv = ['connector', 'list', ...words.split(' ')];
    const run = await runMeasured(argv, {env, file: path.join(directory, 'peak')});
    if (run.code !== 0) throw new Error(`${argv.join(' ')}: status ${run.code}: ${run.stderr}`);
    const peak = run.mebibytes * 1024 * 1024;
    figures.push({
      what: `${name}, memory: ${title}`,
      measured: mebibytes(peak),
      target: `≤ ${mebibytes(mostMemory)}`,
      isMissed: peak > mostMemory,
    });
  }
  return figures;
}

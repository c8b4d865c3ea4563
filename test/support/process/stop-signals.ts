import {once} from 'node:events';
import {mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {lifetimeOfWords} from '../../../src/cli/process/lifetime.js';
import {json, type Respond} from '../third-party.js';
import {spawnChild} from './child.js';

/** The signals that stop a process. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof stopSignals)[number];

/** Whether a signal is a normal end of a command once its work has begun, by the table of lifetimes. */
function isNormalEnd(argv: readonly string[], signal: StopSignal): boolean {
  const drains = lifetimeOfWords(argv)?.signal === 'drain';
  return drains && (signal !== 'SIGHUP' || argv[0] === 'serve');
}

/** The token whose activation is answered at once. */
const answered = 't0ken-answered';

/** What the command lines below refer to: files in the directory of a run. */
const files = {token: 't0ken', answered, 'list.csv': 'name\nweb-1\nweb-2\n'};

const firstStart = 'connector run --credentials-file @web-1.json --token-file';

/** Commands that run until they are stopped, or for long; `@` stands for the directory of a run. */
export const longCommands: Readonly<Record<string, string>> = {
  serve: 'serve --port 0 --store @store',
  'serve --sandbox': 'serve --port 0 --sandbox',
  'connector run': 'connector run con_1',
  'connector run -- COMMAND': 'connector run con_1 --check sleep\u00a01000 -- sleep 1000',
  'connector run at its first start': `${firstStart} @answered`,
  'connector monitor': 'connector monitor',
  'connector get --wait': 'connector get con_1 --wait online --wait-timeout 1h',
  'connector check --wait-timeout': 'connector check --wait-timeout 1h --report junit=@junit',
  'connector enroll': 'connector enroll @list.csv --credentials-dir @out',
  conformance: 'conformance --writes-to 127.0.0.1',
  'connector activate':
    'connector activate --name web-1 --token-file @token --credentials-file @web-1.json',
  'connector run that activates': `${firstStart} @token -- sleep 1000`,
  'token create': 'token create',
};

/** A service that keeps each of these commands waiting. */
export const patientService: Respond = (request, response, index) => {
  const connector = {id: 'con_1', name: 'web-1', status: 'offline'};
  if (request.path.endsWith('/heartbeat') || request.body.includes(answered))
    json({id: 'con_1'})(request, response, index);
  else if (request.method === 'GET') {
    const isOne = request.path.includes('con_1');
    json(isOne ? connector : [connector])(request, response, index);
  }
};

/** Files that must not outlive their process: locks, sockets, drafts. */
const temporary = /\.lock|\.sock$|draft|\.tmp/;

/**
 * Sends a signal to a command some time after its start. A command that is never stopped keeps this waiting.
 *
 * @param delay milliseconds
 * @returns what is wrong with its end; undefined if nothing is
 */
export async function stopAt(
  line: string,
  {signal, delay, url}: {readonly signal: StopSignal; readonly delay: number; readonly url: string},
): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'stop-signals-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const argv = line
    .split(' ')
    .map((word) => word.replace('@', `${directory}/`).replace('\u00a0', ' '));
  const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1', TMPDIR: directory};
  try {
    const child = spawnChild(argv, {env, home: directory, hasSession: true});
    for (const stream of [child.stdout, child.stderr]) stream?.resume();
    // After the end of every process that has its output too.
    const closed = once(child, 'close');
    await once(child, 'spawn');
    await sleep(delay);
    child.kill(signal);
    const [code, killedBy] = await closed;
    const isOk = isNormalEnd(argv, signal) && code === 0;
    const isBySignal = killedBy === signal || code === 128 + constants.signals[signal];
    if (!isOk && !isBySignal) return `it ended with ${killedBy ?? code}`;
    const files = readdirSync(directory, {recursive: true, encoding: 'utf8'});
    const left = files.filter((name) => temporary.test(name));
    return left.length === 0 ? undefined : `it left ${left.join(', ')}`;
  } finally {
    rmSync(directory, {recursive: true, force: true});
  }
}

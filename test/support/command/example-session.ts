import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {runChild, runScript, shownKey, startServe, startService} from '../process/child.js';

/** A session in a terminal on a page, with what stands before it when the session cannot run. */
const sessions = /(<!-- not run: [^>]+ -->\n\n)?^```console\n([\s\S]*?)^```$/gm;

/** Ends the output of one line of a session; no command prints it. */
const separator = '\u001e';

/** The ids that a page shows: of web-1, web-2, db-1, and then in the order of their appearance. */
const shownIds = [
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '01BX5ZZKBKACTAV9WEVGEMMVRZ',
  '01CR5E3HZM3B8Z6Q4V9T2YJX7K',
  '01DXF6DT000000000000000000',
];

/** Whether a page has a session that runs. */
export function hasSession(page: string): boolean {
  return [...page.matchAll(sessions)].some(([, notRun]) => notRun === undefined);
}

/**
 * A page of a command with its sessions as they are now: each line after `$ ` is run, and what it prints is shown.
 * Every page has a sandbox of its own with the same seed and a frozen clock, in which web-1 and web-2 are online and
 * db-1 is offline, and a directory with a store, the credentials of web-1, a key file and two lists.
 */
export async function withCurrentSessions(page: string): Promise<string> {
  if (!hasSession(page)) return page;
  const directory = mkdtempSync(join(tmpdir(), 'connectorctl-test-'));
  const keyFile = join(directory, 'key');
  const sandbox = await startServe(['--sandbox', '--seed', '7', '--clock', 'frozen']);
  try {
    writeFileSync(keyFile, await shownKey(sandbox), {mode: 0o600});
    const env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY_FILE: keyFile};
    const ids = await prepare(directory, env, page);
    const shown = shownText(directory, sandbox.url, ids);
    let result = page;
    for (const [session, notRun, lines = ''] of page.matchAll(sessions)) {
      if (notRun !== undefined) continue;
      const commands = lines.split('\n').filter((line) => line.startsWith('$ '));
      const outputs = await run(
        commands.map((line) => ids.typed(line.slice(2))),
        directory,
        env,
      );
      const current = commands.map((line, at) => `${line}\n${shown(outputs[at] ?? '')}`).join('');
      result = result.replace(session, () => `\`\`\`console\n${current}\`\`\``);
    }
    return result;
  } finally {
    await sandbox.stop();
    rmSync(directory, {recursive: true, force: true, maxRetries: 10});
  }
}

/** Most of it by requests: a process for each step would double the time of a page. */
async function prepare(
  directory: string,
  env: Readonly<Record<string, string>>,
  page: string,
): Promise<Ids> {
  const at = (name: string) => join(directory, name);
  const cli = async (...argv: string[]) => {
    const {code, stdout, stderr} = await runChild(argv, {env, home: directory});
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
    return stdout;
  };
  const authorization = `Bearer ${readFileSync(at('key'), 'utf8').trim()}`;
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${env['CONNECTORCTL_BASE_URL']}${path}`, {
      method,
      headers: {authorization, 'content-type': 'application/json'},
      ...(body && {body: JSON.stringify(body)}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.json();
  };
  const createToken = async () => {
    const {token} = (await send('POST', '/api/connectors/create-token')) as {token: string};
    writeFileSync(at('token'), `${token}\n`);
  };
  cpSync(await preparedStore(), at('store'), {recursive: true});
  await createToken();
  const file = ['--credentials-file', at('web-1.json')];
  await cli('connector', 'activate', '--name', 'web-1', '--token-file', at('token'), ...file);
  const {id} = JSON.parse(readFileSync(at('web-1.json'), 'utf8')).response as {id: string};
  await send('POST', `/api/connectors/${id}/heartbeat`);
  await send('POST', '/_sandbox/fleet', {names: ['web-2', 'db-1'], offline: 1});
  await createToken();
  writeFileSync(at('fleet.csv'), 'name\nweb-1\nweb-2\ndb-1\n');
  writeFileSync(at('machines.csv'), 'name,rack\nweb-3,a1\nweb-4,b4\n');
  writeFileSync(at('agent'), '#!/bin/sh\nexit 0\n', {mode: 0o755});
  const connectors = (await send('GET', '/api/connectors')) as {id: string}[];
  const keys: {id: string}[] = page.includes('key_01')
    ? JSON.parse(await cli('key', 'list', '--store', at('store'), '--json'))
    : [];
  return new Ids({con: connectors.map((one) => one.id), key: keys.map((one) => one.id)});
}

/** The ids of a sandbox and a store, and those that a page shows for them. */
class Ids {
  readonly #known: Readonly<Record<string, string[]>>;

  constructor(known: Readonly<Record<'con' | 'key', string[]>>) {
    this.#known = known;
  }

  /** A line of a page, with the ids that exist. */
  typed(line: string): string {
    return line.replaceAll(/\b(con|key)_(\w{26})\b/g, (shown, kind: string, id: string) => {
      return this.#known[kind]?.[shownIds.indexOf(id)] ?? shown;
    });
  }

  /** An output, with the ids that a page shows. */
  shown(output: string): string {
    return output.replaceAll(/\b(con|key)_[0-9A-HJKMNP-TV-Z]{26}\b/g, (id, kind: string) => {
      const known = this.#known[kind] ?? [];
      if (!known.includes(id)) known.push(id);
      const shown = shownIds[known.indexOf(id)];
      return shown === undefined ? id : `${kind}_${shown}`;
    });
  }
}

let store: Promise<string> | undefined;

/** A store with one organization and its key, which all pages copy. */
function preparedStore(): Promise<string> {
  store ??= (async () => {
    const directory = mkdtempSync(join(tmpdir(), 'connectorctl-test-'));
    await (await startService(directory)).stop();
    process.once('exit', () => rmSync(directory, {recursive: true, force: true}));
    return directory;
  })();
  return store;
}

/** Runs lines in one shell; returns what each wrote to stdout and stderr. */
async function run(
  lines: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  // The next line may read the exit code of the one before.
  const mark = `mark() { local code=$?; printf '${separator}'; return $code; }`;
  const script = ['exec 2>&1', mark, ...lines.flatMap((line) => [line, 'mark'])].join('\n');
  const {stdout} = await runScript(['-c', script], {directory, env, shell: 'bash'});
  return stdout.split(separator);
}

/** Replaces what differs from machine to machine and from run to run, and what a page must not show. */
function shownText(directory: string, url: string, ids: Ids): (output: string) => string {
  return (output) =>
    ids
      .shown(output)
      .replaceAll(url, 'http://127.0.0.1:4480')
      .replaceAll(directory, '/home/you')
      .replaceAll(/\b(act|ck)_[\w-]{30,}/g, '$1_...')
      .replaceAll(/\b202\d-\d\d-\d\dT[\d:.]+Z/g, '2030-01-01T00:00:00.000Z')
      .replaceAll(/\b202\d-\d\d-\d\d \d\d:\d\d UTC/g, '2030-01-01 00:00 UTC')
      .replaceAll(/\d+ ms\b/g, '12 ms')
      .replaceAll(/\d+d ahead/g, '1135d ahead')
      .replaceAll(new URL(url).host, '127.0.0.1:4480')
      .replaceAll(
        /\b(?!0{64})[\da-f]{64}\b/g,
        '5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456',
      )
      .replaceAll(
        /\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g,
        '2f6e9a1c-5b1e-4c0a-9d3f-7a1b2c3d4e5f',
      )
      .replaceAll(/\S+ node-v[\d.]+/g, 'linux-x64 node-v20.19.0')
      .replaceAll(/^(This service is for tests|The clock of this service is virtual): .*\n/gm, '')
      // Not in a terminal, which the page shows.
      .replaceAll(/^\{.*"audit":.*\n/gm, '')
      .replace(/^\n/, '')
      .replace(/(?<=[^\n])$/, '\n');
}

/**
 * `npm run bench:startup`: start-up times of whole processes, of the installed package and of the executable,
 * against bare Node and, where it is installed, `gh`. Needs Linux, four minutes on two quiet cores, and the
 * network once, for the Nodes it runs on. `BENCH_ROUNDS` (default 25) is how often everything is run;
 * arguments choose among 20, 22, 24, 26 and `executable`.
 */
import {mkdir, mkdtemp, realpath, rm, stat} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {executable, executableNode} from '../scripts/build/executable.js';
import {installNode} from '../scripts/build/nodes.js';
import {machine, mebibytes, print} from './figures.js';
import {startBare} from './servers.js';
import {installPackage} from './startup/package.js';
import {timeFigures} from './startup/rows.js';
import {alternate, rounds} from './startup/runs.js';
import {type Group, ghInstalled, id, subjectsOf} from './startup/subjects.js';

const directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'connectorctl-bench-')));
const only = process.argv.slice(2);

function groups(installed: string): Group[] {
  const versions = [20, 22, 24, 26].map((major) => ({
    title: `Node ${major}`,
    command: installed,
    major,
  }));
  const all = [...versions, {title: 'executable', command: executable, major: executableNode}];
  return all
    .filter(({title}) => only.length === 0 || only.some((word) => title.endsWith(word)))
    .map(({title, command, major}) => {
      const node = installNode(major);
      return {title: `${title} (${node.version})`, command, nodeDirectory: path.dirname(node.path)};
    });
}

/** A server that returns this for every request. */
function responding(body: unknown) {
  const headers = {'content-type': 'application/json'};
  return startBare(JSON.stringify({status: 200, headers, body: JSON.stringify(body)}));
}

const connector = (name: string) => ({
  id,
  name,
  organization: 'default',
  status: 'online',
  activated_at: '2026-01-01T00:00:00.000Z',
  last_heartbeat_at: new Date().toISOString(),
});

const fleet = Array.from({length: 100}, (_, number) => connector(`connector-${number}`));
const servers = await Promise.all([responding(connector('web-1')), responding(fleet)]);
try {
  for (const home of ['home', 'first-home']) await mkdir(path.join(directory, home));
  const [one = '', hundred = ''] = servers.map(({port}) => `http://127.0.0.1:${port}`);
  const installed = installPackage(directory);
  const figures = groups(installed).flatMap((group) =>
    timeFigures(group.title, alternate(subjectsOf(group, {one, hundred}, directory))),
  );
  if (!ghInstalled) console.log('gh is not installed: nothing is compared with it');
  const size = mebibytes((await stat(executable)).size);
  print(figures, `${rounds} runs of each in turn, executable of ${size}, ${machine()}`);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(directory, {recursive: true, force: true});
}

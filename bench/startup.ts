/**
 * `npm run bench:startup`: start-up times of whole processes, of the installed package and of the executable,
 * against bare Node and, where it is installed, `gh`. Needs Linux, four minutes on two quiet cores, and the
 * network once, for the Nodes it runs on. `BENCH_ROUNDS` (default 25) is how often everything is run;
 * arguments choose among 20, 22, 24, 26 and `executable`.
 */
import {mkdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {executable, executableNode} from '../scripts/build/executable.js';
import {installNode} from '../scripts/build/nodes.js';
import {type Figure, machine, mebibytes, print} from './figures.js';
import {connectorText, listText} from './list/fleet.js';
import {alternate, roundsOr} from './runs.js';
import {inDirectory, startBare, using} from './servers.js';
import {installPackage} from './startup/package.js';
import {timeFigures} from './startup/rows.js';
import {type Group, ghInstalled, subjectsOf} from './startup/subjects.js';

const rounds = roundsOr(25);
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

await inDirectory(async (directory) => {
  for (const home of ['home', 'first-home']) await mkdir(path.join(directory, home));
  const bodies = [connectorText(0, Date.now()), listText(100)];
  const servers = bodies.map((body) => startBare({body}));
  const figures = await using(servers, async (started) => {
    const [one = '', hundred = ''] = started.map(({port}) => `http://127.0.0.1:${port}`);
    const all: Figure[] = [];
    for (const group of groups(installPackage(directory))) {
      const subjects = subjectsOf(group, {one, hundred}, directory);
      // Two rounds that do not count: the first saves compiled code, the second uses it.
      all.push(...timeFigures(group.title, await alternate(subjects, rounds, 2)));
    }
    return all;
  });
  if (!ghInstalled) console.log('gh is not installed: nothing is compared with it');
  const size = mebibytes((await stat(executable)).size);
  print(figures, `${rounds} runs of each in turn, executable of ${size}, ${machine()}`);
});

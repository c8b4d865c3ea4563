// Fails before anything is built if a tag cannot be released: tsx scripts/release/check.ts v1.2.3
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from '../build/root.js';
import {notesOf} from './notes.js';
import {readRepository} from './tools.js';

/** Each throws one reason against a release. */
const checks: readonly ((tag: string, version: string) => void)[] = [
  (tag, version) => {
    if (tag !== `v${version}`)
      throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  },
  () => {
    readRepository();
  },
  () => {
    const words = [
      'grep',
      '-lE',
      'OWNER/NAME|@OWNER',
      '--',
      'README.md',
      'contrib',
      'docs',
      '.github/CODEOWNERS',
    ];
    const open = spawnSync('git', words, {cwd: root, encoding: 'utf8'}).stdout.trim();
    if (open !== '') throw new Error(`OWNER is still in ${open.replaceAll('\n', ', ')}.`);
  },
  (_, version) => {
    notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  },
];

const [tag = ''] = process.argv.slice(2);
const {version} = readJson<{version: string}>('package.json');
for (const check of checks) {
  try {
    check(tag, version);
  } catch (error) {
    console.error(`release: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

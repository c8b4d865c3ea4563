// Fails before anything is built if a tag cannot be released: tsx scripts/release/check.ts v1.2.3
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from '../build/root.js';
import {notesOf} from './notes.js';
import {placeholder, readRepository} from './repository.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** Each reports one reason against a release. */
const checks: readonly ((tag: string, version: string) => void)[] = [
  (tag, version) => {
    if (tag !== `v${version}`)
      throw new Error(`The tag is ${tag}, and package.json has version ${version}.`);
  },
  () => {
    readRepository();
  },
  () => {
    if (read('README.md').includes(placeholder))
      throw new Error(`README.md still has ${placeholder}: npm run release:repository -- URL`);
  },
  (_, version) => {
    notesOf(read('CHANGELOG.md'), version);
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

// Fails before anything is built if a tag cannot be released: tsx scripts/release/check.ts v1.2.3
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from '../build/root.js';
import {notesOf} from './notes.js';
import {documents, namesNoRepository, readRepository} from './repository.js';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

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
    const open = documents.filter((name) => namesNoRepository(read(name)));
    if (open.length > 0) throw new Error(`OWNER/NAME is still in ${open.join(', ')}.`);
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

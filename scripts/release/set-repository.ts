// Writes the address of the repository where it is needed: tsx scripts/release/set-repository.ts URL
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from '../build/root.js';
import {
  type Addresses,
  addressesOf,
  placeholder,
  readRepository,
  repositoryAt,
} from './repository.js';

const [url = ''] = process.argv.slice(2);
try {
  const repository = repositoryAt(url.replace(/\/$/, ''));
  const pjson = readJson<Addresses>('package.json');
  const before = pjson.repository === undefined ? placeholder : readRepository(pjson).url;
  writeFileSync(
    join(root, 'package.json'),
    `${JSON.stringify({...pjson, ...addressesOf(repository)}, null, 2)}\n`,
  );
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  writeFileSync(join(root, 'README.md'), readme.replaceAll(before, repository.url));
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

// Writes the address of the repository where it is needed: tsx scripts/release/set-repository.ts URL
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {readJson, root} from '../build/root.js';
import {
  type Addresses,
  addressesOf,
  documents,
  readRepository,
  repositoryAt,
  withRepository,
} from './repository.js';

const [url = ''] = process.argv.slice(2);
try {
  const repository = repositoryAt(url.replace(/\/$/, ''));
  const pjson = readJson<Addresses>('package.json');
  const before = pjson.repository && readRepository(pjson).url;
  const text = JSON.stringify({...pjson, ...addressesOf(repository)}, null, 2);
  writeFileSync(join(root, 'package.json'), `${text}\n`);
  for (const name of documents) {
    const document = readFileSync(join(root, name), 'utf8');
    writeFileSync(join(root, name), withRepository(document, repository, before));
  }
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

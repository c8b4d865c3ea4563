// Makes the samples of the versions that this build writes, unless they exist: `npx tsx test/store/frozen/make.ts`.
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {formatVersion} from '../../../src/store/json-file/read.js';
import {JsonFileStore} from '../../../src/store/json-file/store.js';
import * as jsonFile from '../../../src/store/json-file/transfer.js';
import {openStore} from '../../../src/store/open.js';
import {schemaVersion} from '../../../src/store/postgres/schema.js';
import * as postgres from '../../../src/store/postgres/transfer.js';
import {PostgresCluster} from '../../support/postgres/cluster.js';
import {answersOf, fillStore, frozen} from '../../support/store/frozen.js';
import {RecordedLog} from '../../support/store/recorded-log.js';

/** Of every sample, so that all have the same secrets and answers. */
const serverSecret = Buffer.alloc(32, 7);
const log = new RecordedLog();

const open = (location: string) => (now: () => number) => openStore(location, {log, now});

async function freezeJsonFile(directory: string): Promise<void> {
  await jsonFile.createCopy(directory, serverSecret, {log, now: () => 0}, async () => true);
  const secrets = await fillStore(open(directory), async (store) => {
    if (store instanceof JsonFileStore) await store.compact();
  });
  if (existsSync(frozen('answers.json'))) return;
  const copy = mkdtempSync(join(tmpdir(), 'frozen-'));
  cpSync(directory, copy, {recursive: true});
  const answers = Object.entries(await answersOf(open(copy), secrets));
  rmSync(copy, {recursive: true});
  // One line for each answer.
  const lines = answers.map((entry) => entry.map((part) => JSON.stringify(part)).join(': '));
  const text = `{"secrets": ${JSON.stringify(secrets)},\n"answers": {\n${lines.join(',\n')}\n}}\n`;
  writeFileSync(frozen('answers.json'), text);
}

async function freezePostgres(file: string): Promise<void> {
  const cluster = await PostgresCluster.make();
  try {
    await cluster.start();
    await postgres.createCopy(cluster.url(), serverSecret, {log, now: () => 0}, async () => true);
    await fillStore(open(cluster.url()));
    const flags = ['--inserts', '--no-owner', '--no-privileges', '--schema=public'];
    const dump = execFileSync('pg_dump', [...flags, cluster.url()], {encoding: 'utf8'});
    const statements = dump
      // What concerns the session of psql, and the schema that the tests choose themselves.
      .replace(/^(\\|--|SET |SELECT pg_catalog|(CREATE|COMMENT ON) SCHEMA).*\n/gm, '')
      .replaceAll('public.', '')
      .replace(/\n{2,}/g, '\n');
    writeFileSync(file, statements.trimStart());
  } finally {
    await cluster.remove();
  }
}

const [directory, file] = [
  frozen(`json-file-${formatVersion}`),
  frozen(`postgres-${schemaVersion}.sql`),
];
if (!existsSync(directory)) await freezeJsonFile(directory);
if (!existsSync(file)) await freezePostgres(file);

// Makes the samples of the versions that this build writes, unless they exist: `npx tsx test/store/frozen/make.ts`.
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {formatVersion} from '../../../src/store/json-file/read.js';
import {JsonFileStore} from '../../../src/store/json-file/store.js';
import {openStore} from '../../../src/store/open.js';
import {schemaVersion} from '../../../src/store/postgres/schema.js';
import {PostgresCluster} from '../../support/postgres-cluster.js';
import {answersOf, fillStore, type Secrets} from '../../support/store/frozen.js';
import {RecordedLog} from '../../support/store/recorded-log.js';

const sample = (name: string) => join(import.meta.dirname, name);
const opening = (location: string) => (now: () => number) =>
  openStore(location, {log: new RecordedLog(), now});

/** One line for each answer. */
function write(name: string, secrets: Secrets, answers: Record<string, unknown>): void {
  const lines = Object.entries(answers).map((entry) =>
    entry.map((part) => JSON.stringify(part)).join(': '),
  );
  writeFileSync(
    sample(`${name}.json`),
    `{"secrets": ${JSON.stringify(secrets)},\n"answers": {\n${lines.join(',\n')}\n}}\n`,
  );
}

async function freezeJsonFile(name: string): Promise<void> {
  const secrets = await fillStore(opening(sample(name)), async (store) => {
    if (store instanceof JsonFileStore) await store.compact();
  });
  const copy = mkdtempSync(join(tmpdir(), 'frozen-'));
  cpSync(sample(name), copy, {recursive: true});
  write(name, secrets, await answersOf(opening(copy), secrets));
  rmSync(copy, {recursive: true});
}

async function freezePostgres(name: string): Promise<void> {
  const cluster = await PostgresCluster.make();
  try {
    await cluster.start();
    const open = opening(cluster.url());
    const secrets = await fillStore(open);
    const flags = ['--inserts', '--no-owner', '--no-privileges', '--schema=public'];
    const dump = execFileSync('pg_dump', [...flags, cluster.url()], {encoding: 'utf8'});
    const statements = dump
      // What concerns the session of psql, and the schema that the tests choose themselves.
      .replace(/^(\\|--|SET |SELECT pg_catalog|(CREATE|COMMENT ON) SCHEMA).*\n/gm, '')
      .replaceAll('public.', '')
      .replace(/\n{2,}/g, '\n');
    writeFileSync(sample(`${name}.sql`), statements.trimStart());
    write(name, secrets, await answersOf(open, secrets));
  } finally {
    await cluster.remove();
  }
}

const [jsonFile, postgres] = [`json-file-${formatVersion}`, `postgres-${schemaVersion}`];
if (!existsSync(sample(jsonFile))) await freezeJsonFile(jsonFile);
if (!existsSync(sample(`${postgres}.sql`))) await freezePostgres(postgres);

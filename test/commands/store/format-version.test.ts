import {chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {encodeLines} from '../../../src/store/json-file/lines.js';
import {formatVersion} from '../../../src/store/json-file/read.js';
import {schemaVersion} from '../../../src/store/postgres/schema.js';
import {runCommand} from '../../support/command/run-command.js';
import {makeTestDatabase} from '../../support/postgres/database.js';
import {runChild} from '../../support/process/child.js';
import {frozen, readAnswers} from '../../support/store/frozen.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const otherVersions = [0, 2, 99, '2'] as const;
const id = readAnswers().secrets.connectors['online']?.id ?? '';

/** The words of each command that opens a store. */
const commands = (store: string, target: string): readonly (readonly string[])[] => [
  ['serve', '--port', '0', '--store', store],
  ['key', 'create', '--store', store],
  ['key', 'list', '--store', store],
  ['key', 'revoke', id, '--store', store],
  ['store', 'remove', id, '--yes', '--store', store],
  ['store', 'reissue', id, '--store', store],
  ['store', 'copy', store, target],
];

/** Runs a command in this process; `serve` in its own, which ends even if the store is served. */
const run = (argv: readonly string[]) =>
  argv[0] === 'serve' ? runChild(argv, {under: ['timeout', '20']}) : runCommand(argv);

describe('a store of another format version, all else being right', () => {
  const at = temporaryDirectory();

  for (const version of otherVersions) {
    const shown = JSON.stringify(version);

    it(`is refused by every command and not changed in a directory, with version ${shown}`, async () => {
      cpSync(frozen(`json-file-${formatVersion}`), at('store'), {recursive: true});
      chmodSync(at('store'), 0o700);
      const lines = readFileSync(at('store', 'store.jsonl'), 'utf8').trimEnd().split('\n');
      const members = lines.map((line) => line.replace(/^\{"crc":"\w+",(.*)\}$/, '$1'));
      const own = `"version":${formatVersion},`;
      expect(members[0]).to.include(own);
      members[0] = members[0]?.replace(own, `"version":${shown},`) ?? '';
      writeFileSync(at('store', 'store.jsonl'), encodeLines(members, 0).bytes);
      const contents = () =>
        readdirSync(at('store')).map((name) => [name, readFileSync(at('store', name), 'latin1')]);
      const before = contents();
      for (const argv of [['store', 'check', at('store')], ...commands(at('store'), at('copy'))]) {
        const {code, stdout, stderr} = await run(argv);
        expect({code, stdout}, argv.join(' ')).to.deep.equal({code: 2, stdout: ''});
        expect(stderr, argv.join(' ')).to.include(
          `Error: ${at('store', 'store.jsonl')} has format version ${shown}, not this build's (${formatVersion}). Nothing was changed; use the connectorctl that wrote it.\n`,
        );
        expect(contents(), argv.join(' ')).to.deep.equal(before);
      }
      expect(existsSync(at('copy', 'store.jsonl'))).to.equal(false);
    });
  }

  for (const version of otherVersions) {
    it(`is refused by every command and not changed in a database, with version ${JSON.stringify(version)}`, async () => {
      const database = await makeTestDatabase();
      await database.query(readFileSync(frozen(`postgres-${schemaVersion}.sql`), 'utf8'));
      // The column of a later version may have another type.
      const type = typeof version === 'string' ? 'text' : 'integer';
      await database.query(`ALTER TABLE store_info ALTER COLUMN version TYPE ${type}`);
      await database.query('UPDATE store_info SET version = $1', [version]);
      const tables = ['store_info', 'api_keys', 'activation_tokens', 'connectors'];
      const rows = async () => {
        const found: unknown[] = [];
        for (const table of tables) found.push(await database.query(`SELECT * FROM ${table}`));
        return found;
      };
      const before = await rows();
      for (const argv of commands(database.url, at('copy'))) {
        const {code, stdout, stderr} = await run(argv);
        expect({code, stdout}, argv.join(' ')).to.deep.equal({code: 2, stdout: ''});
        expect(stderr, argv.join(' ')).to.include(
          `The tables have version ${version}; this build knows version ${schemaVersion} only.`,
        );
        expect(await rows(), argv.join(' ')).to.deep.equal(before);
      }
      expect(existsSync(at('copy', 'store.jsonl'))).to.equal(false);
    });
  }
});

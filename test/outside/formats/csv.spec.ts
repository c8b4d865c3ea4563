import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';
import {describeWith} from '../installed.js';
import type {ProgramName} from '../programs.js';
import {run} from '../run.js';
import {listed} from './listed.js';

/** Names, and what CSV has of them: csv-stringify marks what may be a formula, and a line break is escaped. */
const names: Readonly<Record<string, string>> = {
  'web-1': 'web-1',
  '=1+1': "'=1+1",
  '+49 30': "'+49 30",
  '-x': "'-x",
  '@home': "'@home",
  "'=kept": "''=kept",
  'a,b': 'a,b',
  'say "hi"': 'say "hi"',
  'two\nlines': 'two\\x0alines',
  ' blanks ': ' blanks ',
  '50%': '50%',
  ünï: 'ünï',
};
const ids = ['007', '12345678901234567890', '1e5', '2024-01-02', '0x1F', 'TRUE', '1,5'];
const fleet = Object.keys(names).map((name, at) => ({
  id: ids[at] ?? `c-${at}`,
  name,
  status: 'online',
}));
const inCsv = fleet.map(({id, name}) => ({id, name: names[name]}));

interface Reader {
  /** The command line that prints the id and name of each line as JSON, of the path of the file. */
  readonly command: (file: string) => readonly [program: string, ...argv: string[]];
  /** What it makes of a cell, where that is not the cell. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly names?: Readonly<Record<string, string>>;
}

// gnumeric's own columns, as JSON: by way of the CSV that it writes.
const ofSsconvert = `
import csv, json, subprocess, sys
path = sys.argv[1]
subprocess.run(['ssconvert', path, path + '.out.csv'], check=True, capture_output=True)
rows = csv.DictReader(open(path + '.out.csv', newline=''))
print(json.dumps([{key: row[key] for key in ('id', 'name')} for row in rows]))`;

const readers = {
  // --infer-none: with its defaults Miller takes 1e5 and 0x1F for numbers, and prints them as they are.
  miller: {
    command: (file) => ['mlr', '--icsv', '--ojson', '--infer-none', 'cut', '-f', 'id,name', file],
  },
  sqlite: {
    command: (file) => [
      'sqlite3',
      ...[':memory:', '.mode csv', `.import '${file}' list`, '.mode json'],
      'select id, name from list order by rowid',
    ],
  },
  // What a person gets who opens the file: numbers and dates of ids, no formula, and no mark.
  ssconvert: {
    command: (file) => ['/usr/bin/python3', '-c', ofSsconvert, file],
    ids: {'007': '7', '1e5': '100000', '2024-01-02': '2024/01/02'},
    names: {
      ...Object.fromEntries(
        ['=1+1', '+49 30', '-x', '@home', "'=kept"].map((name) => [`'${name}`, name]),
      ),
      '50%': '0.5',
    },
  },
} as const satisfies Partial<Record<ProgramName, Reader>>;

for (const [program, reader] of Object.entries<Reader>(readers)) {
  const title = `connector list -o csv read by ${program}`;
  describeWith([program as keyof typeof readers], title, () => {
    const at = temporaryDirectory();

    it('has one line for each connector, with its id and its name, none of which is a formula', async () => {
      writeFileSync(at('list.csv'), await listed('csv', fleet));
      const [command, ...argv] = reader.command(at('list.csv'));
      const expected = inCsv.map(({id, name = ''}) => ({
        id: reader.ids?.[id] ?? id,
        name: reader.names?.[name] ?? name,
      }));
      expect(JSON.parse(await run(command, ...argv))).to.deep.equal(expected);
    });
  });
}

describeWith(['miller'], 'an inventory that Miller has sorted', () => {
  const at = temporaryDirectory();

  it('names every connector of the list that it was made from', async () => {
    writeFileSync(at('list.csv'), await listed('csv', fleet));
    writeFileSync(
      at('sorted.csv'),
      await run('mlr', '--csv', 'sort', '-r', 'name', at('list.csv')),
    );
    const {url} = await thirdPartyService(json(fleet));
    const check = ['connector', 'check', '--base-url', url, '--expect', at('sorted.csv')];
    const ended = await runCommand(check, {CONNECTORCTL_API_KEY: organizationKey()});
    expect(ended).to.deep.include({code: 0});
  });
});

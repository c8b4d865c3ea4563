import {readFileSync} from 'node:fs';
import {expect} from 'chai';
import {forms} from '../../src/client/names/times.js';
import {readTime} from '../../src/client/times.js';
import type {Json} from '../../src/domain/json.js';

/** A form in which a program writes the same time. */
interface Row {
  readonly form: string;
  readonly program: string;
  readonly version: string;
  /** The page that documents it, or how it was run. */
  readonly source: string;
  readonly value: Json;
}

/** One program per line. */
const rows = readFileSync(new URL('times.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Row => JSON.parse(line));

const moment = new Date('2026-11-28T07:51:49Z').getTime();

describe('readTime', () => {
  for (const {program, version, value} of rows) {
    it(`reads the time of ${program} (${version}): ${JSON.stringify(value)}`, () => {
      // A fraction of a second may be in it.
      expect(Math.floor((readTime(value)?.getTime() ?? 0) / 1000) * 1000).to.equal(moment);
    });
  }

  const unreadable: readonly Json[] = [
    ...['a day ago', 'never', '12', '2026-11-28', '28/11/2026 07:51', ''],
    ...[1, 3600, 5e9, 1e13, 7e15, 1e30, true, []],
    ...[{}, {date: '2026-11-28 07:51:49', timezone: 'Europe/Paris'}, {seconds: 30}, {$date: {}}],
  ];
  for (const value of unreadable) {
    it(`reads no time in ${JSON.stringify(value)}`, () => {
      expect(readTime(value)).to.equal(undefined);
    });
  }

  it('reads a bigint, as which large numbers arrive', () => {
    expect(readTime(1795852309000000001n)?.getTime()).to.equal(moment);
  });
});

describe('the table of forms of times', () => {
  it('names a program, a version and a source for each form and each field', () => {
    const documented = new Set(rows.map(({form}) => form));
    const {inner, seconds, nanoseconds, ...texts} = forms;
    const expected = [...Object.keys(texts), 'inner', 'seconds', 'units'];
    expect([...documented].sort()).to.deep.equal(expected.sort());
    const values = JSON.stringify(rows.map(({value}) => value));
    const fields = [...inner, ...seconds, ...nanoseconds];
    expect(fields.filter((field) => !values.includes(`"${field}"`))).to.deep.equal([]);
    for (const {version, source} of rows) {
      expect(version).to.not.equal('');
      expect(source).to.match(/^(https:\/\/|run: |docs\/)/);
    }
  });
});

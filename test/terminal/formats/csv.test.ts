import {expect} from 'chai';
import {parse} from 'csv-parse/sync';
import {stringify} from 'csv-stringify/sync';
import * as fc from 'fast-check';
import {connectorIn} from '../../../src/client/read/reader.js';
import {connectorFields} from '../../../src/domain/selection.js';
import {escapeControl} from '../../../src/terminal/escape.js';
import {csvLines} from '../../../src/terminal/formats/csv.js';
import {exactTime} from '../../../src/terminal/time.js';
import {
  awkwardText,
  bareReading,
  collect,
  reading,
  terminalControls,
} from '../../support/render.js';

const head = 'id,name,status,organization,activated_at,last_heartbeat_at\n';

describe('csvLines', () => {
  it('is only a header without connectors', async () => {
    expect(await collect(csvLines([]))).to.equal(head);
    expect(head.trim().split(',')).to.deep.equal(connectorFields);
  });

  it('has exact times, and empty fields for values that the service does not send', async () => {
    const connectors = [reading(), reading({lastHeartbeatAt: null}), bareReading('7')];
    expect(await collect(csvLines(connectors))).to.equal(
      `${head}con_01ARZ3NDEKTSV4RRFFQ69G5FAV,build-1,online,acme,2026-06-28T12:00:00.000Z,2026-07-01T11:59:48.000Z
con_01ARZ3NDEKTSV4RRFFQ69G5FAV,build-1,online,acme,2026-06-28T12:00:00.000Z,
7,,,,,
`,
    );
  });

  it('writes a batch of any size with any number of columns', async () => {
    const fields = Array.from({length: 40}, (_, index) => `f${index}`);
    const raw = Object.fromEntries(fields.map((name) => [name, 'x']));
    const connectors = Array(155_000).fill({...bareReading('7'), raw});
    const text = await collect(csvLines(connectors, {fields, hidesHeader: true}));
    expect(text).to.have.lengthOf(connectors.length * 2 * fields.length);
  });

  it('writes the times of a service unchanged, whatever their form and date', async () => {
    const two = (most: number) =>
      fc.integer({min: 0, max: most}).map((part) => String(part).padStart(2, '0'));
    const year = fc.constantFrom('0999', '1969', '1970', '1971', '2024', '2026', '2100', '9999');
    const clock = fc.tuple(two(24), two(60), two(60)).map((parts) => parts.join(':'));
    const end = fc.constantFrom('.000Z', '.999Z', '.001+00:00', 'Z', '.1Z', '');
    const time = fc
      .tuple(year, two(13), two(32), clock, end)
      .map(([y, m, d, at, rest]) => `${y}-${m}-${d}T${at}${rest}`);
    await fc.assert(
      fc.asyncProperty(time, async (sent) => {
        const raw = {id: '7', activated_at: sent, last_heartbeat_at: sent};
        const connector = connectorIn(raw) ?? bareReading('7');
        const {activatedAt, lastHeartbeatAt} = connector;
        const cells = [
          activatedAt === undefined ? sent : exactTime(activatedAt),
          lastHeartbeatAt === null ? '' : lastHeartbeatAt ? exactTime(lastHeartbeatAt) : sent,
        ];
        expect(await collect(csvLines([connector], {hidesHeader: true}))).to.equal(
          `7,,,,${cells.join(',')}\n`,
        );
      }),
      {
        examples: ['2026-02-29', '2024-02-29', '2026-04-31', '1970-01-01'].map((day) => [
          `${day}T00:00:00.000Z`,
        ]),
        numRuns: 500,
      },
    );
  });

  it('quotes texts only where necessary, and disarms formulas', async () => {
    const names = ['a,b', 'say "x"', '=1+1', '+1', '-1', '@SUM(A1)', '＝1', '\t=1', '\r=1', '#1'];
    const text = await collect(csvLines(names.map((name) => bareReading('1', name))));
    expect(text.split('\n').slice(1, -1)).to.deep.equal([
      '1,"a,b",,,,',
      '1,"say ""x""",,,,',
      "1,'=1+1,,,,",
      "1,'+1,,,,",
      "1,'-1,,,,",
      "1,'@SUM(A1),,,,",
      "1,'＝1,,,,",
      '1,\\x09=1,,,,',
      '1,\\x0d=1,,,,',
      '1,"#1",,,,',
    ]);
  });

  it('writes plain texts like the library', async () => {
    const text = fc.oneof(fc.string({unit: 'grapheme-ascii', maxLength: 5}), awkwardText);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text, text)), async (texts) => {
        const connectors = texts.map(([id, name, status]) => ({...bareReading(id, name), status}));
        const records = texts.map((values) => [...values.map(escapeControl), '', '', '']);
        const options = {escape_formulas: true, quoted_match: /^#/, record_delimiter: '\n'};
        expect(await collect(csvLines(connectors))).to.equal(head + stringify(records, options));
      }),
      {numRuns: 500},
    );
  });

  it('writes selected columns like the library', async () => {
    const value = fc.oneof(fc.string({unit: 'grapheme-ascii', maxLength: 5}), fc.integer());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(value, value)), async (pairs) => {
        const connectors = pairs.map(([rack, zone]) => ({
          ...bareReading('1'),
          raw: {labels: {rack}, zone},
        }));
        const records = pairs.map(([rack, zone]) => [escapeControl(`${rack}`), '1', `${zone}`]);
        const options = {escape_formulas: true, quoted_match: /^#/, record_delimiter: '\n'};
        const fields = ['labels.rack', 'id', 'zone'];
        expect(await collect(csvLines(connectors, {fields, hidesHeader: true}))).to.equal(
          stringify(records, options),
        );
      }),
      {numRuns: 300},
    );
  });

  it('is parsed as one record per connector, whatever characters its texts have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(awkwardText, awkwardText)), async (texts) => {
        const connectors = texts.map(([id, name]) => ({...bareReading(id, name), status: name}));
        const text = await collect(csvLines(connectors));
        const records = parse(text, {columns: true, record_delimiter: '\n'});
        const disarmed = (value: string) => escapeControl(value).replace(/^[=+\-@＝＋－＠]/, "'$&");
        expect(records).to.deep.equal(
          texts.map(([id, name]) => ({
            id: disarmed(id),
            name: disarmed(name),
            status: disarmed(name),
            organization: '',
            activated_at: '',
            last_heartbeat_at: '',
          })),
        );
        expect(text.split('\n')).to.have.length(texts.length + 2);
        expect(text).not.to.match(terminalControls);
      }),
    );
  });
});

import {expect} from 'chai';
import {parse} from 'csv-parse/sync';
import * as fc from 'fast-check';
import {csvLines} from '../../../src/connector/fields/csv.js';
import {escapeControl} from '../../../src/terminal/escape.js';
import {awkwardText, collect, reading, terminalControls} from '../../support/values/render.js';

const head = 'id,name,status,organization,activated_at,last_heartbeat_at\n';

describe('csvLines', () => {
  it('has exact times, and empty fields for values that the service does not send', async () => {
    const connectors = [reading().raw, reading({lastHeartbeatAt: null}).raw, {id: '7'}];
    expect(collect(csvLines(connectors))).to.equal(
      `${head}con_01ARZ3NDEKTSV4RRFFQ69G5FAV,build-1,online,acme,2026-06-28T12:00:00.000Z,2026-07-01T11:59:48.000Z
con_01ARZ3NDEKTSV4RRFFQ69G5FAV,build-1,online,acme,2026-06-28T12:00:00.000Z,
7,,,,,
`,
    );
  });

  it('quotes texts only where necessary, and disarms formulas', async () => {
    const cells = [
      ['a,b', '"a,b"'],
      ['say "x"', '"say ""x"""'],
      ['=1+1', "'=1+1"],
      ['+1', "'+1"],
      ['-1', "'-1"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['＝1', "'＝1"],
      ['\t=1', '\\x09=1'],
      ['\r=1', '\\x0d=1'],
      ['#1', '"#1"'],
      ["'=1", "''=1"],
      ["''", "''"],
      ['a;b', '"a;b"'],
      [' a', '" a"'],
      ['a ', '"a "'],
    ];
    const text = collect(csvLines(cells.map(([name = '']) => ({id: '1', name}))));
    expect(text.split('\n').slice(1, -1)).to.deep.equal(cells.map(([, cell]) => `1,${cell},,,,`));
  });

  it('is parsed as one record per connector, whatever characters its texts have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(awkwardText, awkwardText)), async (texts) => {
        const connectors = texts.map(([id, name]) => ({id, name, status: name}));
        const text = collect(csvLines(connectors));
        const records = parse(text, {columns: true, record_delimiter: '\n'});
        const disarmed = (value: string) =>
          escapeControl(value).replace(/^'*[=+\-@＝＋－＠]/, "'$&");
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

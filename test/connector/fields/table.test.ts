import {stripVTControlCharacters} from 'node:util';
import {expect} from 'chai';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import {connectorsTable, type TableOptions} from '../../../src/connector/fields/table.js';
import type {JsonObject} from '../../../src/domain/json.js';
import {sixteenColors} from '../../../src/terminal/escape.js';
import {
  awkwardText,
  collect,
  plain,
  reading,
  terminalControls,
} from '../../support/values/render.js';

async function table(
  connectors: readonly JsonObject[],
  options: Partial<TableOptions> = {},
): Promise<string> {
  return collect(await connectorsTable(connectors, {...plain, wide: false, ...options}));
}

const fleet = [
  reading().raw,
  reading({
    id: 'con_01ARZ3NDEKTSV4RRFFQ69G5FAW',
    name: 'the machine below the stairs on the second floor',
    status: 'offline',
    lastHeartbeatAt: new Date(plain.now() - 3 * 3600_000),
  }).raw,
  reading({
    id: 'con_01ARZ3NDEKTSV4RRFFQ69G5FAX',
    name: '漢字の名前です 👩‍💻',
    status: 'never',
    lastHeartbeatAt: null,
  }).raw,
];

/** A mark or a joiner at the start of a cell combines with the blank before it. */
const standalone = awkwardText.filter((text) => !/^(?:\p{M}|\p{EMod}|\u200c|\u200d)/u.test(text));

describe('connectorsTable', () => {
  it('truncates nothing in a pipe', async () => {
    expect(await table(fleet)).to.equal(
      [
        'ID                              NAME                                              STATUS   LAST HEARTBEAT',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAV  build-1                                           online   12s ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAW  the machine below the stairs on the second floor  offline  3h ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAX  漢字の名前です 👩‍💻                                 never    never',
        '',
      ].join('\n'),
    );
  });

  it('truncates names on a terminal of 80 columns, but never ids', async () => {
    expect(await table(fleet, {width: 80})).to.equal(
      [
        'ID                              NAME                     STATUS   LAST HEARTBEAT',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAV  build-1                  online   12s ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAW  the machine below the …  offline  3h ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAX  漢字の名前です 👩‍💻        never    never',
        '',
      ].join('\n'),
    );
  });

  it('puts a row on two lines on a terminal of 40 columns', async () => {
    expect(await table(fleet, {width: 40})).to.equal(
      [
        'ID',
        '  NAME          STATUS   LAST HEARTBEAT',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        '  build-1       online   12s ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAW',
        '  the machine…  offline  3h ago',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAX',
        '  漢字の名前…   never    never',
        '',
      ].join('\n'),
    );
  });

  it('adds the organization and exact times in the wide format', async () => {
    expect(await table(fleet.slice(0, 1), {wide: true})).to.equal(
      [
        'ID                              NAME     STATUS  ORGANIZATION  ACTIVATED                 LAST HEARTBEAT',
        'con_01ARZ3NDEKTSV4RRFFQ69G5FAV  build-1  online  acme          2026-06-28T12:00:00.000Z  2026-07-01T11:59:48.000Z',
        '',
      ].join('\n'),
    );
  });

  it('omits columns without values, and shows - for a missing value', async () => {
    const services = [{id: '7', name: 'gateway'}, {id: '12'}];
    expect(await table(services)).to.equal('ID  NAME\n7   gateway\n12  -\n');
    const mixed = [
      {id: '7', name: ''},
      {id: '12', name: 'b', status: 'ok'},
    ];
    expect(await table(mixed)).to.equal('ID  NAME  STATUS\n7   -     -\n12  b     ok\n');
  });

  it('colors only the statuses of the reference service', async () => {
    const statuses = ['online', 'stale', 'offline', 'never', 'constructor', 'ONLINE'];
    const connectors = statuses.map((status, index) => ({id: index, name: 'n', status}));
    const palette = await sixteenColors();
    expect(await table(connectors, {palette})).to.equal(
      [
        'ID  NAME  STATUS',
        '0   n     \u001b[32monline\u001b[39m',
        '1   n     \u001b[33mstale\u001b[39m',
        '2   n     \u001b[31moffline\u001b[39m',
        '3   n     \u001b[2mnever\u001b[22m',
        '4   n     constructor',
        '5   n     ONLINE',
        '',
      ].join('\n'),
    );
  });

  it('escapes control characters in every column', async () => {
    const evil = '\u001b[2J\n\u202e';
    const connector = reading({id: evil, name: evil, organization: evil, status: evil}).raw;
    const [, row] = (await table([connector], {wide: true})).split('\n');
    expect(row).to.match(/^(\\x1b\[2J\\x0a\\u202e {2}){4}2026/);
  });

  it('stays within the width, aligns its columns and escapes control characters', async () => {
    const palette = await sixteenColors();
    const anyFleet = fc.array(standalone, {minLength: 1, maxLength: 5});
    const property = fc.asyncProperty(
      anyFleet,
      fc.integer({min: 20, max: 120}),
      fc.boolean(),
      async (texts, width, wide) => {
        const connectors = texts.map((name) => reading({name, organization: name}).raw);
        const text = await table(connectors, {width, wide});
        const lines = text.split('\n');
        for (const line of lines) expect(stringWidth(line)).to.be.at.most(width);
        expect(text).not.to.match(terminalControls);
        const starts = lines.map((line) => stringWidth(line.slice(0, line.lastIndexOf('online'))));
        const rows = lines.flatMap((line, index) =>
          line.includes('online') ? [starts[index]] : [],
        );
        if (!texts.some((name) => name.includes('online'))) expect(new Set(rows).size).to.equal(1);
        const colored = await table(connectors, {width, wide, palette});
        expect(stripVTControlCharacters(colored)).to.equal(text);
      },
    );
    await fc.assert(property, {numRuns: 200});
  });
});

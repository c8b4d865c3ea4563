import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import * as fc from 'fast-check';
import {readInventory} from '../../../src/connector/check/inventory-file.js';
import {csvLines} from '../../../src/connector/fields/csv.js';
import {AppError} from '../../../src/errors.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const id = 'con_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const both = [
  {id, name: 'web-1', state: 'present'},
  {id: undefined, name: 'web-2', state: 'absent'},
];

describe('readInventory', () => {
  const at = temporaryDirectory();
  const write = (name: string, text: string) => {
    const path = at(name);
    writeFileSync(path, text);
    return path;
  };

  for (const [name, text] of [
    ['fleet.csv', `id,name,state\n${id},web-1,\n,web-2,absent\n`],
    ['columns in another order.csv', `STATE,Name,rack,id\r\n,web-1,7,${id}\r\nabsent,web-2,8,\r\n`],
    [
      'fleet.json',
      JSON.stringify([
        {id, name: 'web-1'},
        {name: 'web-2', state: 'absent'},
      ]),
    ],
    ['fleet.ndjson', `{"id":"${id}","name":"web-1"}\n{"name":"web-2","state":"absent"}\n`],
    [
      'no extension, CSV with comments',
      `# fleet, of 2026\n\nname,id,state\n# rack 12\nweb-1,${id},\nweb-2,,absent\n`,
    ],
    [
      'no extension, JSON',
      `\ufeff [{"id":"${id}","name":"web-1"},{"name":"web-2","state":"ABSENT"}]`,
    ],
  ] as const) {
    it(`reads an inventory from a file with format or name: ${name}`, async () => {
      expect(await readInventory(write(name, text))).to.deep.equal(both);
    });
  }

  it('reads the names that connector list -o csv writes, whatever a spreadsheet makes of them', async () => {
    const sign = fc.constantFrom(...'=+-@＝＋－＠\'",;# |');
    const text = fc.array(fc.oneof(sign, fc.constantFrom('a', 'é', '漢')), {minLength: 1});
    const name = text.map((signs) => signs.join('')).filter((one) => one.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(name, {minLength: 1}), async (names) => {
        const lines = csvLines(
          names.map((one) => ({name: one})),
          {fields: ['name']},
        );
        const read = await readInventory(write('list.csv', [...lines].join('')));
        expect(read.map((one) => one.name)).to.deep.equal(names);
      }),
    );
  });

  it('reads a list of a service whose word for the status is state', async () => {
    const seen = {last_seen_at: '2026-07-01T12:00:00Z'};
    const list = [
      {id: '1', name: 'web-1', state: 'connected', ...seen},
      {id: '2', name: 'web-2', state: 'online', last_seen_at: null},
      {id: '3', name: 'web-3', state: {name: 'up'}, ...seen},
      {connectorId: '4', name: 'web-4', state: 'absent', ...seen},
    ];
    const read = await readInventory(write('list.json', JSON.stringify(list)));
    expect(read.map(({id, state}) => [id, state])).to.deep.equal([
      ['1', 'present'],
      ['2', 'present'],
      ['3', 'present'],
      ['4', 'absent'],
    ]);
  });

  const long = '12345678901234567890';
  for (const [name, text] of [
    ['fleet.json', `[{"id":${long},"name":"web-1"},{"id":"2","name":7}]`],
    ['fleet.ndjson', `{"id":${long},"name":"web-1"}\n{"id":2,"name":"7"}\n`],
    ['fleet.csv', `id,name\n${long},web-1\n2,7\n`],
  ] as const) {
    it(`keeps each digit of numbers in ${name}`, async () => {
      expect(await readInventory(write(name, text))).to.deep.equal([
        {id: long, name: 'web-1', state: 'present'},
        {id: '2', name: '7', state: 'present'},
      ]);
    });
  }

  for (const [what, name, text] of [
    ['an empty CSV file', 'fleet.csv', ''],
    ['a CSV file with only a header', 'fleet.csv', 'id,name\n'],
    ['an empty list', 'fleet.json', '[]'],
    ['lines of JSON for no connector', 'fleet.ndjson', '\n'],
  ] as const) {
    it(`returns no entries for ${what}`, async () => {
      expect(await readInventory(write(name, text))).to.deep.equal([]);
    });
  }

  for (const [what, name, text, message] of [
    [
      'an entry has neither id nor name',
      'a.csv',
      'id,name,rack\n,,7\nx,y,8\n',
      /a\.csv, line \d: the entry has/,
    ],
    ['a state is unknown', 'a.json', '[{"id":"1","state":"on"}]', /entry 1: "on" is not a state/],
    [
      'a state is an object',
      'a.json',
      '[{"id":"1","state":{}}]',
      /`state` is neither text nor a whole number/,
    ],
    ['a name is a number that lost digits', 'a.json', '[{"name":1.10}]', /nor a whole number/],
    ['a name is an object', 'a.json', '[{"name":{}}]', /`name` is neither text nor a whole number/],
    ['JSON is truncated', 'a.json', '[{"name":', /Cannot read the inventory .* as JSON/],
    [
      'a quote is in a long cell',
      'a.csv',
      `name\n${'x'.repeat(9999)}"\n`,
      /as CSV: .{1,99} at line 2$/,
    ],
    ['lines have no header', 'a.txt', 'web-1\nweb-2\n', /its header needs one column name or id/],
    ['JSON does not contain a list', 'a.json', '{"title":"web"}', /as JSON: it holds no list/],
  ] as const) {
    it(`reports the position of the error when ${what}`, async () => {
      const error = await readInventory(write(name, text)).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(AppError);
      expect(error).to.include({kind: 'usage'});
      expect((error as AppError).message).to.match(message);
    });
  }

  for (const [name, text] of [
    ['fleet.ndjson', '{"id":"1","name":"web-1","State":"Online"}\n'],
    ['fleet.json', '{"ID":"1","Name":"web-1","STATE":"online"}'],
    ['fleet.csv', '\ufeffId;x,ID,NAME,State\r\n,1,"web-1",online\r\n'],
  ] as const) {
    it(`reads one connector, with its fields in any case, from ${name}`, async () => {
      expect(await readInventory(write(name, text))).to.deep.equal([
        {id: '1', name: 'web-1', state: 'online'},
      ]);
    });
  }

  it('reads a hundred thousand entries, and names the line of the one that is wrong', async () => {
    const names = Array.from({length: 100_000}, (_, index) => `host-${index}`);
    const text = `name;rack\n${names.join(';7\n')}\n`;
    expect(await readInventory(write('fleet.csv', text))).to.have.length(100_000);
    const read = readInventory(write('fleet.csv', `${text}web-1;8;9\n`));
    expect(await read.catch((thrown) => thrown.message)).to.include('line 100002 has more cells');
  });

  it('rejects a file that does not exist', async () => {
    const error = await readInventory(at('none')).catch((thrown) => thrown);
    expect(error.message).to.match(/Cannot read the inventory .*none: .*\(ENOENT\)/);
  });
});

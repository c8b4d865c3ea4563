import {expect} from 'chai';
import {type OutputFormat, outputFormats, rendererFor} from '../../src/connector/output.js';
import type {JsonObject} from '../../src/domain/json.js';
import {collect, plain} from '../support/values/render.js';

async function listAs(format: OutputFormat, ...connectors: JsonObject[]) {
  return collect(await (await rendererFor(format, plain)).list(connectors));
}

async function oneAs(format: OutputFormat, connector: JsonObject) {
  const {list, one} = await rendererFor(format, plain);
  return one?.(connector) ?? [...(await list([connector]))].join('');
}

const csvHead = 'id,name,status,organization,activated_at,last_heartbeat_at\n';
const csvRow = '7,gw,,,,\n';

describe('rendererFor', () => {
  const expected: Record<OutputFormat, {empty: string; list: string; one: string}> = {
    table: {empty: '', list: 'ID  NAME\n7   gw\n', one: 'ID:    7\nName:  gw\n'},
    wide: {empty: '', list: 'ID  NAME\n7   gw\n', one: 'ID:    7\nName:  gw\n'},
    json: {
      empty: '[]\n',
      list: '[\n  {\n    "id": "7",\n    "name": "gw"\n  }\n]\n',
      one: '{\n  "id": "7",\n  "name": "gw"\n}\n',
    },
    ndjson: {empty: '', list: '{"id":"7","name":"gw"}\n', one: '{"id":"7","name":"gw"}\n'},
    yaml: {empty: '[]\n', list: '- id: "7"\n  name: gw\n', one: 'id: "7"\nname: gw\n'},
    csv: {empty: csvHead, list: csvHead + csvRow, one: csvHead + csvRow},
    id: {empty: '', list: '7\n', one: '7\n'},
  };
  for (const format of outputFormats) {
    it(`writes ${format}: no connectors, a list, and one connector`, async () => {
      const connector = {id: '7', name: 'gw'};
      expect(await listAs(format)).to.equal(expected[format].empty);
      expect(await listAs(format, connector)).to.equal(expected[format].list);
      expect(await oneAs(format, connector)).to.equal(expected[format].one);
    });
  }

  it('escapes ids, and writes one per line', async () => {
    expect(await listAs('id', {id: 'a\u001b[2J'}, {id: 'b\nc'})).to.equal('a\\x1b[2J\nb\\x0ac\n');
  });

  it('keeps a null of the service in JSON, and adds what it sends under another name', async () => {
    const connector = {id: 1, status: null, state: 'up', last_seen: '2026-07-01T12:00:00Z'};
    const fields = ['status', 'last_heartbeat_at', 'name'];
    const {list} = await rendererFor('ndjson', {...plain, fields});
    expect(await collect(await list([connector]))).to.equal(
      '{"status":null,"last_heartbeat_at":"2026-07-01T12:00:00.000Z"}\n',
    );
  });
});

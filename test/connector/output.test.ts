import {expect} from 'chai';
import {type OutputFormat, outputFormats, rendererOf} from '../../src/connector/output.js';
import type {JsonObject} from '../../src/domain/json.js';
import {fakeIo} from '../support/process/io.js';
import {collect, now} from '../support/values/render.js';

async function listAs(output: OutputFormat, ...connectors: JsonObject[]) {
  const render = await rendererOf({output}, {io: fakeIo(), now: () => now});
  return collect(await render(connectors));
}

const csvHead = 'id,name,status,organization,activated_at,last_heartbeat_at\n';

describe('rendererOf', () => {
  const expected: Record<OutputFormat, {empty: string; list: string}> = {
    table: {empty: '', list: 'ID  NAME\n7   gw\n'},
    wide: {empty: '', list: 'ID  NAME\n7   gw\n'},
    json: {empty: '[]\n', list: '[\n  {\n    "id": "7",\n    "name": "gw"\n  }\n]\n'},
    yaml: {empty: '[]\n', list: '- id: "7"\n  name: gw\n'},
    csv: {empty: csvHead, list: `${csvHead}7,gw,,,,\n`},
    id: {empty: '', list: '7\n'},
  };
  for (const format of outputFormats) {
    it(`writes ${format}: no connectors, and a list`, async () => {
      expect(await listAs(format)).to.equal(expected[format].empty);
      expect(await listAs(format, {id: '7', name: 'gw'})).to.equal(expected[format].list);
    });
  }

  it('escapes ids, and writes one per line', async () => {
    expect(await listAs('id', {id: 'a\u001b[2J'}, {id: 'b\nc'})).to.equal('a\\x1b[2J\nb\\x0ac\n');
  });
});

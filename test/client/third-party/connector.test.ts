import {brotliCompressSync, gzipSync} from 'node:zlib';
import {expect} from 'chai';
import type {ConnectorReading} from '../../../src/client/types.js';
import {clientOf, failure} from '../../support/client.js';
import {bytes, json, type Respond} from '../../support/third-party.js';

describe('a connector from a third-party service', () => {
  const get = async (response: Respond) => (await clientOf(response)).getConnector('7');

  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  const bare = {id: 'a', name: 'door'};
  const shapes: readonly (readonly [string, unknown, Partial<ConnectorReading>])[] = [
    ['without an envelope', bare, {id: 'a', name: 'door', raw: bare}],
    ['with an envelope named connector', {connector: bare}, {id: 'a', raw: bare}],
    ['with an envelope named data', {data: bare, meta: {}}, {id: 'a', raw: bare}],
    ['with an envelope named result', {result: bare, success: true}, {id: 'a', raw: bare}],
    ['with two nested envelopes', {data: {connector: bare}}, {id: 'a', raw: bare}],
    [
      'in the form of JSON:API',
      {data: {type: 'c', id: 'a', attributes: {name: 'door', state: 'up', last_seen: 1767323045}}},
      {id: 'a', name: 'door', status: 'up', lastHeartbeatAt: new Date('2026-01-02T03:04:05Z')},
    ],
    [
      'with a heartbeat object',
      {id: 'a', heartbeat: {at: '2026-01-02T03:04:05Z'}},
      {lastHeartbeatAt: new Date('2026-01-02T03:04:05Z')},
    ],
    [
      'with a last_heartbeat object',
      {id: 'a', last_heartbeat: {timestamp: null}},
      {lastHeartbeatAt: null},
    ],
    ['with a heartbeat interval', {id: 'a', heartbeat: 60}, {lastHeartbeatAt: undefined}],
    ['with connector_id', {connector_id: 'b'}, {id: 'b', name: undefined}],
    ['with uuid', {uuid: 'c'}, {id: 'c'}],
    ['with a numeric id', {id: 12, data: {id: 13}}, {id: '12'}],
    ['with an id of 0', {id: 0}, {id: '0'}],
    ['with an organization', {id: 'a', organization: 'o'}, {organization: 'o'}],
    ['with an organization_id', {id: 'a', organization_id: 4}, {organization: '4'}],
    [
      'with an organization object',
      {id: 'a', organization: {id: 1, name: 'o'}},
      {organization: 'o'},
    ],
    ['with an unknown status', {id: 'a', status: 'on holiday'}, {status: 'on holiday'}],
    ['with a status that is not a string', {id: 'a', status: 3}, {status: undefined}],
    ['with a state', {id: 'a', state: 'online'}, {status: 'online'}],
    ['with a status object', {id: 'a', status: {state: 'online', since: 1}}, {status: 'online'}],
    ['with a status of null beside a state', {id: 'a', status: null, state: 'up'}, {status: 'up'}],
    ['without any time', {id: 'a'}, {activatedAt: undefined, lastHeartbeatAt: undefined}],
    ['without a heartbeat', {id: 'a', last_seen: null}, {lastHeartbeatAt: null}],
  ];
  for (const [name, response, expected] of shapes) {
    it(`is read from a response ${name}`, async () => {
      const reading = await get(json(response));
      for (const [field, value] of Object.entries(expected)) {
        expect(reading[field as keyof ConnectorReading], field).to.deep.equal(value);
      }
    });
  }

  const moment = new Date('2025-06-01T12:00:00Z');
  const lastSeen: readonly (readonly [string, unknown])[] = [
    ['last_heartbeat_at', '2025-06-01T12:00:00Z'],
    ['lastHeartbeatAt', '2025-06-01T12:00:00.000Z'],
    ['last_seen_at', '2025-06-01T14:00:00+02:00'],
    ['lastSeenAt', '2025-06-01T14:00:00+0200'],
    ['last_seen', '2025-06-01 12:00:00'],
    ['lastSeen', moment.getTime()],
    ['heartbeat_at', moment.getTime() / 1000],
    ['heartbeatAt', '2025-06-01T07:00:00-05'],
  ];
  for (const [field, value] of lastSeen) {
    it(`has its last heartbeat at the time in ${field}: ${value}`, async () => {
      const {lastHeartbeatAt} = await get(json({id: 'a', [field]: value}));
      expect(lastHeartbeatAt).to.deep.equal(moment);
    });
  }

  for (const zero of ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 0, -62135596800]) {
    it(`has no last heartbeat and no activation time when they are ${zero}`, async () => {
      const reading = await get(json({id: 'a', last_seen: zero, activated_at: zero}));
      expect(reading).to.include({lastHeartbeatAt: null, activatedAt: undefined});
    });
  }

  it('keeps every digit of large numbers, and the order of all fields', async () => {
    const text =
      '{"zeta":1,"id":12345678901234567890,"n":[-9007199254740993,9007199254740993,1.5e3],"__proto__":{"x":1},"a":"1234567890123456789"}';
    const {id, raw} = await get(json(text));
    expect(id).to.equal('12345678901234567890');
    expect(Object.keys(raw)).to.deep.equal(['zeta', 'id', 'n', '__proto__', 'a']);
    expect(raw['id']).to.equal(12345678901234567890n);
    expect(raw['n']).to.deep.equal([-9007199254740993n, 9007199254740993n, 1500]);
    expect(raw['a']).to.equal('1234567890123456789');
    expect(Object.hasOwn(raw, '__proto__')).to.equal(true);
  });

  it('is read from a response that is compressed, with a byte order mark or without a media type', async () => {
    const text = Buffer.from('\ufeff {"id":"ü"}\n');
    for (const response of [
      bytes(text),
      bytes(gzipSync(text), {'content-encoding': 'gzip'}),
      bytes(brotliCompressSync(text), {'content-encoding': 'br'}),
    ]) {
      expect((await get(response)).id).to.equal('ü');
    }
  });

  const broken: readonly (readonly [string, Respond, string])[] = [
    ['without an id', json({name: 'a'}), '`id` is missing'],
    ['with an id of null', json({id: null}), '`id` is null, not a string or a number'],
    ['with an id that is an object', json({id: {}}), '`id` is an object, not'],
    ['that is an array', json([bare]), 'it is not a JSON object'],
    ['that is empty', bytes('', {}, 204), 'it is empty'],
    ['of white space', bytes(' \n'), 'it is empty'],
    [
      'of plain text',
      bytes('all is well', {'content-type': 'text/plain'}),
      'it is of type text/plain and not JSON; it begins: all is well',
    ],
    [
      'that is a web page',
      bytes('<!DOCTYPE html>\n<title>Log in</title>', {'content-type': 'text/html'}),
      'it is of type text/html and not JSON; it begins: <!DOCTYPE html> <title>Log in</title>',
    ],
    [
      'with invalid JSON',
      bytes('{"id":}', {'content-type': 'application/json'}),
      'it is of type application/json and not valid JSON',
    ],
    ['that is nested too deep', json(`{"id":1,"a":${nested(100_000)}}`), 'it is nested too deep'],
    [
      'with truncated JSON',
      bytes('{"id":"a"', {'content-type': 'application/json'}),
      'it is of type application/json and not valid JSON',
    ],
  ];
  for (const [name, response, end] of broken) {
    it(`fails with a protocol error for a response ${name}`, async () => {
      const error = await failure(() => get(response));
      expect(error.kind).to.equal('protocol');
      expect(error.message).to.include(`breaks the interface: ${end}`);
    });
  }

  it('may be deeply nested', async () => {
    const {raw} = await get(json(`{"id":1,"a":${nested(200)}}`));
    expect(JSON.stringify(raw)).to.equal(`{"id":1,"a":${nested(200)}}`);
  });
});

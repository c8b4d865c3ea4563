import {expect} from 'chai';
import {clientOf, failure} from '../../support/client.js';
import {bytes, json, type Respond} from '../../support/third-party.js';

describe('a heartbeat to a third-party service', () => {
  const beat = async (response: Respond) => (await clientOf(response)).sendHeartbeat('7');

  it('accepts any response except a web page', async () => {
    for (const response of [
      bytes('', {}, 204),
      bytes(''),
      bytes('pong'),
      bytes('ok', {'content-type': 'text/html; charset=utf-8'}),
      json('1'),
      json({ok: true}),
    ]) {
      const reading = await beat(response);
      expect(reading.nextHeartbeatSeconds).to.equal(undefined);
    }
    for (const page of ['<html>', '\ufeff\n<!-- a proxy -->\n<p>Log in', '<title>Caddy']) {
      const sent = bytes(page, {'content-type': 'text/plain'});
      expect((await failure(() => beat(sent))).kind, page).to.equal('protocol');
    }
  });

  const intervals: readonly (readonly [unknown, number | undefined])[] = [
    [{next_heartbeat_seconds: 30}, 30],
    [{nextHeartbeatSeconds: 0.5}, 0.5],
    [{heartbeat_interval: 60}, 60],
    [{heartbeatInterval: 60}, 60],
    [{interval: 60}, 60],
    [{data: {interval: 60}}, 60],
    [{connector: {id: 1}, interval: 60}, 60],
    [{interval: 0}, undefined],
    [{interval: -1}, undefined],
    [{interval: '60'}, undefined],
    [{interval: 30_000}, 30],
    [{heartbeat_interval: 9000}, 9000],
    [{next_heartbeat_seconds: 30_000}, 30_000],
    [{next_heartbeat_seconds: 86_400_000}, undefined],
    [{interval: 86_400_001_000}, undefined],
  ];
  for (const [response, seconds] of intervals) {
    it(`reads ${seconds === undefined ? 'no time' : `${seconds} s`} until the next heartbeat from ${JSON.stringify(response)}`, async () => {
      expect((await beat(json(response))).nextHeartbeatSeconds).to.equal(seconds);
    });
  }

  it('reads the status and the time, also nested, in an object named heartbeat, and in the form of JSON:API', async () => {
    const time = '2026-01-02T03:04:05Z';
    for (const response of [
      {status: 'up', last_heartbeat_at: time},
      {connector: {id: 1, status: 'up', lastSeen: time}},
      {heartbeat: {at: time, status: 'up'}},
      {data: {heartbeat: {last_seen_at: time}, status: 'up'}},
      {data: {type: 'c', id: 'a', attributes: {last_heartbeat_at: 1767323045, state: 'up'}}},
    ]) {
      const {status, lastHeartbeatAt} = await beat(json(response));
      expect({status, lastHeartbeatAt}).to.deep.equal({
        status: 'up',
        lastHeartbeatAt: new Date(time),
      });
    }
  });
});

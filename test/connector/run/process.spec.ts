import {once} from 'node:events';
import {expect} from 'chai';
import {spawnChild} from '../../support/process/child.js';
import {liveChild, runUntil} from '../../support/process/live-child.js';
import {inTurn, json, type Respond, thirdPartyService} from '../../support/third-party.js';

const accepted = json({id: 'con_1', status: 'online', last_heartbeat_at: '2026-01-02T03:04:05Z'});
const unanswered: Respond = () => undefined;
const beat = ['connector', 'run', 'con_1'];

/** A service, and the environment for commands that use it. */
async function serviceOf(response: Respond) {
  const service = await thirdPartyService(response);
  const env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: 'k1'};
  return {service, requested: service.requested, env};
}

describe('connector run without a command', () => {
  it('writes a line for each heartbeat, with its own interval', async () => {
    const {service, env} = await serviceOf(
      json({
        status: 'online',
        last_heartbeat_at: '2026-01-02T03:04:05Z',
        next_heartbeat_seconds: 60,
      }),
    );
    const run = await runUntil(/(.*online.*\n){2}/, [...beat, '--every', '1s'], {env});
    const line = 'con_1  online  at 2026-01-02T03:04:05.000Z  next within 1s\n';
    expect(run).to.deep.equal({code: 0, stdout: line + line, stderr: ''});
    expect(service.seen.map(({path}) => path)).to.deep.equal([
      '/api/connectors/con_1/heartbeat',
      '/api/connectors/con_1/heartbeat',
    ]);
  });

  it('writes responses as JSON lines, with long numbers and control characters intact', async () => {
    const {env} = await serviceOf(json('{"id": 90071992547409931, "status": "\\u001b[2J"}'));
    expect(await runUntil(/\n/, [...beat, '--json'], {env})).to.deep.equal({
      code: 0,
      stdout: '{"id":90071992547409931,"status":"\\u001b[2J"}\n',
      stderr: '',
    });
  });

  it('logs with a timestamp when heartbeats start to fail and when they are accepted again', async () => {
    const {service, env} = await serviceOf(
      inTurn(accepted, json({detail: 'b\u001by'}, 500), json({}, 503), accepted),
    );
    const run = await runUntil(/accepted again.*\n/, [...beat, '--every', '1s'], {env});
    const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
    expect(
      run.stderr.replace(times, 'TIME').replace(/success \S+( ago)?\)/, 'success …)'),
    ).to.match(
      new RegExp(
        `^TIME failing: Cannot send the heartbeat of connector con_1: ${service.url} returned ` +
          '500 Internal Server Error: b\\\\x1by; trying again in 1s \\(1 failure, last success …\\)\n' +
          'TIME accepted again after \\d+s and 2 failures\n$',
      ),
    );
    expect(run.stdout.split('\n')).to.have.length(3);
    // Each failure was a single request: the loop retries, not the client.
    expect(service.seen).to.have.length(4);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`exits with 0 on ${signal} during a request`, async () => {
      const {requested, env} = await serviceOf(unanswered);
      const child = liveChild([...beat, '--every', '1s'], {env});
      await requested(1);
      child.signal(signal);
      expect(await child.ended()).to.deep.equal({code: 0, signal: null});
      expect(child.stderr()).to.equal('');
    });
  }

  it('keeps sending heartbeats and exits on a signal without a reader of its output', async () => {
    const {requested, env} = await serviceOf(json({status: 'x'.repeat(200_000)}));
    const child = spawnChild([...beat, '--every', '1s'], {env});
    await requested(3);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
    child.stdout!.destroy();
  });

  it('keeps sending heartbeats when the reader of its output exits, and warns once', async () => {
    const {requested, service, env} = await serviceOf(accepted);
    const child = liveChild([...beat, '--every', '1s'], {env});
    await child.until(/online/);
    child.closeStdout();
    const sent = service.seen.length;
    await child.until(/broken pipe/);
    await requested(sent + 2);
    child.signal('SIGTERM');
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(child.stderr()).to.equal(
      'Cannot write the output: broken pipe (EPIPE). Heartbeats continue.\n',
    );
  });

  it('keeps sending heartbeats when the disk for its output is full, and warns once', async () => {
    const {requested, env} = await serviceOf(accepted);
    const under = ['/bin/sh', '-c', 'exec "$@" > /dev/full', 'sh'];
    const child = liveChild([...beat, '--every', '1s'], {env, under});
    await requested(2);
    child.signal('SIGTERM');
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(child.stderr()).to.equal(
      'Cannot write the output: no space left on device (ENOSPC). Heartbeats continue.\n',
    );
  });
});

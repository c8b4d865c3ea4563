import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {setTimeout as delay, setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import type {HeartbeatReading} from '../../src/client/types.js';
import {HeartbeatReport} from '../../src/connector/run/report.js';
import {AppError} from '../../src/errors.js';
import type {Clock} from '../../src/system/clock.js';
import {type NotifyState, SystemdNotifier, systemdOf} from '../../src/system/systemd.js';
import {runChild} from '../support/process/child.js';
import {fakeIo} from '../support/process/io.js';
import {liveChild, runUntil} from '../support/process/live-child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {inTurn, json, thirdPartyService} from '../support/third-party.js';

const accepted = json({id: 'con_1', status: 'online'});
const noWarning = () => undefined;
const beat = ['connector', 'run', 'con_1', '--every', '1s'];

/** Creates a fake `systemd-notify` in the directory, which logs each notification on one line. */
function fakeSystemdNotify(directory: string): {path: string; notices: () => string[]} {
  const log = join(directory, 'notices');
  const program = join(directory, 'systemd-notify');
  const script = `#!/bin/sh
test -n "$CONNECTORCTL_API_KEY" && echo 'was given a secret' >> '${log}'
IFS='|'
echo "$*" >> '${log}'
`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return {
    path: `${directory}${delimiter}${process.env['PATH']}`,
    notices: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
  };
}

describe('systemd notifications', () => {
  const at = temporaryDirectory();

  it('of connector run report READY, the status, and STOPPING', async () => {
    const {url} = await thirdPartyService(inTurn(json({}, 503), accepted));
    const {path, notices} = fakeSystemdNotify(at());
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1', PATH: path};
    const options = {env: {...env, NOTIFY_SOCKET: '/run/somewhere'}};
    const run = await runUntil(/(online[^\n]*\n.*){2}/s, beat, options);
    expect(run.code).to.equal(0);
    const shown = notices().map((line) => line.replace(/since \S+Z/, 'since …'));
    expect(shown).to.deep.equal([
      `READY=1|STATUS=Failing since …: Cannot send the heartbeat of connector con_1: ${url} returned 503 Service Unavailable`,
      'STATUS=Heartbeats of con_1 accepted since …',
      'STOPPING=1',
    ]);
  });

  it('of a first start report READY and WATCHDOG while it waits for the service', async () => {
    const {path, notices} = fakeSystemdNotify(at());
    writeFileSync(at('token'), 't0ken');
    const file = ['--credentials-file', at('web-1.json'), '--token-file', at('token')];
    const argv = ['connector', 'run', '--base-url', 'http://127.0.0.1:1', ...file];
    const env = {PATH: path, NOTIFY_SOCKET: '/run/somewhere', WATCHDOG_USEC: '400000'};
    const child = liveChild(argv, {env});
    while (notices().filter((notice) => notice.includes('WATCHDOG=1')).length < 2) await delay(20);
    await child.until(/failing: /);
    child.signal('SIGTERM');
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(notices().find((notice) => notice.includes('READY'))).to.match(
      /^READY=1\|STATUS=Failing since \S+Z: .*nothing listens/,
    );
    expect(notices().at(-1)).to.include('STOPPING=1');
  });

  it('of a first start omit READY when the service refuses the token', async () => {
    const {url} = await thirdPartyService(json({}, 401));
    const {path, notices} = fakeSystemdNotify(at());
    writeFileSync(at('token'), 't0ken');
    const file = ['--credentials-file', at('web-1.json'), '--token-file', at('token')];
    const env = {CONNECTORCTL_BASE_URL: url, PATH: path, NOTIFY_SOCKET: '/run/somewhere'};
    expect(await runChild(['connector', 'run', ...file], {env})).to.deep.include({code: 3});
    expect(notices()).to.deep.equal(['STOPPING=1']);
  });

  it('that fail cause one warning and do not stop the heartbeats', async () => {
    const {url, seen} = await thirdPartyService(inTurn(accepted, json({}, 503), accepted));
    const env = {CONNECTORCTL_BASE_URL: url, PATH: at(), NOTIFY_SOCKET: '/run/somewhere'};
    const run = await runUntil(/(online[^\n]*\n.*){2}/s, beat, {env});
    expect(run.code).to.equal(0);
    expect(seen.length).to.be.at.least(3);
    expect(run.stderr.match(/Cannot notify systemd: .*ENOENT/g)).to.have.length(1);
  });
});

describe('systemdOf', () => {
  const listening = {NOTIFY_SOCKET: '/run/systemd/notify'};
  const startedWith = (env: NodeJS.ProcessEnv) => systemdOf({env, pid: 7}, noWarning);

  it('reads the watchdog interval for this process from the environment', () => {
    expect(startedWith({})).to.equal(undefined);
    expect(startedWith({NOTIFY_SOCKET: ''})).to.equal(undefined);
    expect(startedWith(listening)?.watchdog).to.equal(undefined);
    const watched = {...listening, WATCHDOG_USEC: '30000000'};
    expect(startedWith(watched)?.watchdog).to.equal(30_000);
    expect(startedWith({...watched, WATCHDOG_PID: '7'})?.watchdog).to.equal(30_000);
    expect(startedWith({...watched, WATCHDOG_PID: '8'})?.watchdog).to.equal(undefined);
    expect(startedWith({...watched, WATCHDOG_USEC: 'soon'})?.watchdog).to.equal(undefined);
  });
});

describe('SystemdNotifier', () => {
  it('sends one notification at a time, in their order, also after a failure', async () => {
    const sent: NotifyState[] = [];
    let isSending = false;
    const systemd = new SystemdNotifier(undefined, noWarning, async (notice) => {
      expect(isSending).to.equal(false);
      isSending = true;
      await setImmediate();
      isSending = false;
      sent.push(notice);
      if (notice['STATUS'] === 'a') throw new Error('no systemd');
    });
    const states: NotifyState[] = [{READY: '1'}, {STATUS: 'a'}, {STATUS: 'b', WATCHDOG: '1'}];
    for (const state of states) systemd.notify(state);
    await systemd.settled();
    expect(sent).to.deep.equal(states);
  });
});

describe('the systemd watchdog', () => {
  it('is notified while the heartbeat loop makes progress, and not when it hangs', async () => {
    const sent: NotifyState[] = [];
    const systemd = new SystemdNotifier(20_000, noWarning, async (notice) => {
      sent.push(notice);
    });
    let now = 0;
    let tick = () => {};
    const periods: number[] = [];
    const clock: Clock = {
      now: () => now,
      wait(milliseconds, signal) {
        periods.push(milliseconds);
        return new Promise<void>((resolve) => {
          tick = resolve;
          signal?.addEventListener('abort', () => resolve());
        });
      },
    };
    const report = new HeartbeatReport(
      systemd,
      {command: undefined, flags: {}, io: fakeIo()},
      clock,
    );
    report.begin(500);
    const keepAlives = async () => {
      tick();
      await setImmediate();
      await systemd.settled();
      return sent.filter((notice) => notice['WATCHDOG']).length;
    };
    expect(await keepAlives()).to.equal(1);
    // A failed heartbeat is progress too: systemd must not restart the process during an outage.
    report.failed(new AppError('unavailable', 'away'), 1000);
    now = 1500;
    expect(await keepAlives()).to.equal(2);
    now = 1501;
    expect(await keepAlives()).to.equal(2);
    report.accepted('con_1', {raw: {}} as HeartbeatReading, 60_000);
    expect(await keepAlives()).to.equal(3);
    await report.close();
    expect(await keepAlives()).to.equal(3);
    expect(sent.at(-1)).to.deep.equal({STOPPING: '1'});
    expect(periods).to.deep.equal(Array.from({length: 6}, () => 10_000));
  });
});

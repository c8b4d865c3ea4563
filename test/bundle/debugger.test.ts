import {readFileSync} from 'node:fs';
import {connect} from 'node:net';
import {constants} from 'node:os';
import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {killLiveChildren, type LiveChild, liveChild} from '../support/live-child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

/** Uses a free port, so that the inspector of another process does not affect the test. */
const NODE_OPTIONS = '--inspect-port=0';
const listening = /Debugger listening on ws:\/\/([\d.:]+)/;

describe("Node's inspector", () => {
  const at = temporaryDirectory();

  afterEach(async () => {
    await killLiveChildren();
    await closeThirdPartyServices();
  });

  const serve = () => liveChild(['serve', '--port', '0', '--store', at()], {env: {NODE_OPTIONS}});
  const stop = async (child: LiveChild) => {
    child.signal('SIGTERM');
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
  };

  it('does not open when a running service gets SIGUSR1', async () => {
    const child = serve();
    await child.until(/^http:/m);
    child.signal('SIGUSR1');
    await stop(child);
    expect(child.stderr()).not.to.match(listening);
  });

  it('does not open when a running heartbeat process gets SIGUSR1', async () => {
    const {url} = await thirdPartyService(json({status: 'online'}));
    const child = liveChild(
      ['connector', 'heartbeat', 'con_1', '--every', '60s', '--base-url', url],
      {env: {NODE_OPTIONS}},
    );
    await child.until(/online/);
    child.signal('SIGUSR1');
    await stop(child);
    expect(child.stderr()).not.to.match(listening);
  });

  it('closes again when SIGUSR1 arrives before our code runs', async function () {
    if (process.platform !== 'linux') this.skip();
    let child = serve();
    // On a busy machine the signal can arrive too late; try again.
    for (;;) {
      while (!hasHandler(child.pid)) await setImmediate();
      child.signal('SIGUSR1');
      await child.until(/^http:/m);
      if (listening.test(child.stderr())) break;
      await stop(child);
      child = serve();
    }
    const address = listening.exec(child.stderr())?.[1];
    const port = Number(address?.split(':').at(-1));
    while (await isReachable(port)) await setImmediate();
    await stop(child);
  });
});

/** Whether a process has a handler for SIGUSR1. Node installs its handler tens of milliseconds before ours. */
function hasHandler(pid: number): boolean {
  const caught = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGUSR1 - 1)) & 1n) === 1n;
}

/** Closes its connection at once, because an open connection would keep the inspector open. */
function isReachable(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

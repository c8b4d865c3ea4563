import {readFileSync} from 'node:fs';
import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {type LiveChild, liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** Uses a free port, so that the inspector of another process does not affect the test. */
const NODE_OPTIONS = '--inspect-port=0';
const listening = /Debugger listening on ws:\/\/([\d.:]+)/;

describe("Node's inspector", () => {
  const at = temporaryDirectory();

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

  it('closes again when SIGUSR1 arrives before our code runs', async function () {
    if (process.platform !== 'linux') this.skip();
    // A blocked signal stays pending across exec, and Node unblocks it once it has a handler.
    const pending = ['env', '--block-signal=USR1', 'sh', '-c', 'kill -USR1 $$; exec "$@"', 'sh'];
    const child = liveChild(['serve', '--port', '0', '--store', at()], {
      env: {NODE_OPTIONS},
      under: pending,
    });
    await child.until(/^http:/m);
    await child.until(listening);
    const address = listening.exec(child.stderr())?.[1];
    const port = Number(address?.split(':').at(-1));
    expect(port).to.be.greaterThan(0);
    while (isOpen(port)) await setImmediate();
    await stop(child);
  });
});

/** Whether a port is open, by the table of sockets: a connection would keep the inspector open. */
function isOpen(port: number): boolean {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  return readFileSync('/proc/net/tcp', 'utf8').includes(address);
}

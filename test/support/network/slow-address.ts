import {spawn} from 'node:child_process';
import dns from 'node:dns';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {connect} from 'node:net';
import {platform} from 'node:os';
import {setTimeout as delay} from 'node:timers/promises';
import {notice} from '../notice.js';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** A listener whose queue of connections is full, so that Linux drops each SYN until it accepts (listen(2)). */
export interface SlowAddress {
  /** Accepts again from the moment when a new SYN was dropped: the next one comes a second after it. */
  accept(): Promise<void>;
}

/** Whether there can be a slow address here. */
export function hasSlowAddresses(): boolean {
  if (platform() === 'linux') return true;
  notice('Not Linux. A host with a slow address is not tested.');
  return false;
}

const listener = `
  const net = require('node:net');
  const server = net.createServer((client) => {
    const onward = net.connect(Number(process.argv[1]), '127.0.0.1');
    for (const [from, to] of [[client, onward], [onward, client]]) {
      from.pipe(to).on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  server.listen({host: process.argv[2], port: process.argv[1], backlog: 1}, () => console.log());
`;

/** Starts a listener that passes connections on to the same port of 127.0.0.1, until the end of the test, and fills its queue. */
export async function slowAddress(port: number, host = '127.0.0.2'): Promise<SlowAddress> {
  const child = spawn(process.execPath, ['-e', listener, String(port), host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  await until(() => /^State:\tT/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')));
  // A queue of length 1 is full with two connections.
  const queued = [0, 1].map(() => connect(port, host).on('error', () => {}));
  await Promise.all(queued.map((socket) => once(socket, 'connect')));
  atEndOfTest(async () => {
    for (const socket of queued) socket.destroy();
    child.kill('SIGKILL');
    await ended;
  });
  return {
    async accept() {
      await until(() => isDropped(port));
      for (const socket of queued) socket.destroy();
      child.kill('SIGCONT');
    },
  };
}

/** Whether a connection to the port of 127.0.0.2 waits for a SYN-ACK (state 02 in proc_net_tcp). */
function isDropped(port: number): boolean {
  const remote = `0200007F:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `;
  return readFileSync('/proc/net/tcp', 'utf8').includes(remote);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

/** The name of a host with two addresses. */
export const slowHost = 'slow.example';

/**
 * Gives `slowHost` these addresses, until the end of the test.
 *
 * @param onLookup called at each search for them, with its number from 1
 */
export function resolveSlowHost(
  addresses: readonly string[],
  onLookup: (count: number) => void = () => {},
): void {
  const {lookup} = dns;
  let count = 0;
  const fake = (host: string, options: object, done: (error: null, found: object[]) => void) => {
    if (host !== slowHost) return Reflect.apply(lookup, dns, [host, options, done]);
    count += 1;
    onLookup(count);
    const found = addresses.map((address) => ({address, family: 4}));
    process.nextTick(done, null, found);
  };
  Object.assign(dns, {lookup: fake});
  atEndOfTest(async () => Object.assign(dns, {lookup}));
}

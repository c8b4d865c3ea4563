import type {ChildProcess} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {connect, createServer} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';

/** Below the range of automatically assigned ports (on Linux from 32768), so that no other program takes one. */
const ports = {first: 10_000, end: 32_768} as const;

/** A local port on which nothing listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.end);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/** Waits until a program accepts connections at a local port. @throws when it ends before */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const socket = connect({host: '127.0.0.1', port});
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await delay(20);
    } finally {
      socket.destroy();
    }
  }
}

import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';

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

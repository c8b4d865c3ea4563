import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';

/** Below those that a system gives to whoever asks for any (Linux: 32768 on): none of them is taken by chance. */
const ports = {first: 10_000, end: 32_768} as const;

/** A port of this machine on which nothing listens: one that was free a moment ago. */
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

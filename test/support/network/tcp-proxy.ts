import {once} from 'node:events';
import {type AddressInfo, connect, createServer, type Socket} from 'node:net';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** A proxy that passes each connection on. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** Ends with the test that starts it. @param target the port that a new connection is passed on to */
export async function tcpProxy(target: () => number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target(), '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => {});
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: atEndOfTest(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    }),
  };
}

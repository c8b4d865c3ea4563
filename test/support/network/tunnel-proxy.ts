import {createServer} from 'node:http';
import {connect, type Socket} from 'node:net';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** An HTTP proxy that makes tunnels (CONNECT), on a free port. */
export interface TunnelProxy {
  /** Host and port. */
  readonly address: string;
  readonly tunnels: {target: string; authorization: string | undefined}[];
  /** The local port that every tunnel connects to, whatever the request names. */
  destination: number;
  /** If set, the status that refuses every tunnel. */
  refusal: number | undefined;
  /** Refuses connections from now on. */
  stopListening(): void;
  close(): Promise<void>;
}

/** Starts a proxy. It ends with the test that starts it. */
export async function tunnelProxy(): Promise<TunnelProxy> {
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connect', (request, socket) => {
    proxy.tunnels.push({
      target: request.url ?? '',
      authorization: request.headers['proxy-authorization'],
    });
    if (proxy.refusal !== undefined) {
      socket.end(`HTTP/1.1 ${proxy.refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(proxy.destination, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket as Socket]) {
      sockets.add(one);
      one.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: TunnelProxy = {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    tunnels: [],
    destination: 0,
    refusal: undefined,
    stopListening: () => server.close(),
    close: atEndOfTest(async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
  return proxy;
}

import {connect, type Socket} from 'node:net';
import {atEndOfTest} from '../process/at-end-of-test.js';

/** Writes text to a port, and resolves to everything received until the other side closes. */
export function exchange(url: string, text: string): Promise<string> {
  return readAll(open(url, text));
}

/** Connects to the port of a URL until the end of the test, and writes text. */
export function open(url: string, text: string): Socket {
  const {hostname, port} = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  atEndOfTest(async () => socket.destroy());
  socket.write(text);
  return socket;
}

/** Everything received until the connection is closed or reset. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
}

/** The next received chunk. */
export function readOnce(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk) => resolve(chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}

/** Status, headers and body of a response as text. */
export function parseResponse(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return {status: Number(statusLine.split(' ')[1]), headers, body};
}

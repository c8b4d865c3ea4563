import {connect} from 'node:net';
import type {FuzzRequest} from './requests.js';

/** One response as received. */
interface WireResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

/** A request as bytes; `last` asks to close the connection after it. */
export function encode(
  {method, target, headers, body, framing, who}: FuzzRequest,
  last: boolean,
): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`];
  if (!headers.some(([name]) => name === 'Host')) lines.push('Host: fuzz');
  if (who !== 'nobody') lines.push(`Authorization: Bearer ${who}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (last) lines.push('Connection: close');
  const chunks: Buffer[] = [];
  if (body !== undefined) {
    const length = {
      length: body.length,
      short: body.length + 7,
      long: Math.max(0, body.length - 3),
    };
    if (framing === 'chunked' || framing === 'both') {
      lines.push('Transfer-Encoding: chunked');
      const size = body.length.toString(16);
      if (body.length > 0) chunks.push(Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n'));
      chunks.push(Buffer.from('0\r\n\r\n'));
    } else chunks.push(body);
    if (framing === 'both') lines.push('Content-Length: 1');
    else if (framing !== 'chunked') lines.push(`Content-Length: ${length[framing]}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...chunks]);
}

/** Sends bytes and reads everything until the other side closes. */
export function exchange(url: string, bytes: Buffer): Promise<Buffer> {
  const {hostname, port} = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset after a refusal is expected; a missing response is found later.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    // After a refusal the service keeps reading for a while, but sends nothing more.
    socket.on('end', () => socket.destroy());
    socket.setTimeout(30_000, () => {
      socket.destroy();
      reject(new Error('the connection hangs'));
    });
  });
}

/**
 * The responses to requests with these methods, in order. An incomplete or invalid response is an error.
 */
export function parseResponses(bytes: Buffer, methods: readonly string[]): WireResponse[] {
  const responses: WireResponse[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1)
      throw new Error(`no head in ${bytes.subarray(at).toString().slice(0, 200)}`);
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? [];
    if (status === undefined) throw new Error(`no status in ${statusLine}`);
    at = headEnd + 4;
    if (status === '100') continue;
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
      }),
    );
    // An error response to a HEAD that could not be parsed may have a body.
    const ended = at === bytes.length || bytes.toString('latin1', at, at + 5) === 'HTTP/';
    const bodiless = methods[responses.length] === 'HEAD' && ended;
    const body = bodiless ? {text: '', end: at} : readBody(bytes, at, headers);
    responses.push({statusCode: Number(status), headers, payload: body.text});
    at = body.end;
  }
  return responses;
}

function readBody(bytes: Buffer, start: number, headers: Record<string, string>) {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes, start);
  const end = start + Number(headers['content-length']);
  if (!(end <= bytes.length)) throw new Error('a response was cut');
  return {text: bytes.toString('utf8', start, end), end};
}

function readChunks(bytes: Buffer, start: number) {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size)) throw new Error('a response was cut');
    at = lineEnd + 2 + size + 2;
    if (size === 0) return {text: Buffer.concat(chunks).toString(), end: at};
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
  }
}

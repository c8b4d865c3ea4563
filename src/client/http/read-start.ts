import type {Readable} from 'node:stream';
import {bufferedBytes} from '../messages.js';

/**
 * Reads a body up to `bufferedBytes` and a little more. By events: an asynchronous iterator takes a
 * millisecond of a short run.
 *
 * @throws the error of the body, or that it was closed before its end
 */
export function readStart(
  body: Readable,
): Promise<{readonly start: Buffer; readonly ended: boolean; readonly body: Readable}> {
  return new Promise((resolve, reject) => {
    const closed = () =>
      reject(body.errored ?? new Error('The response was closed before its end'));
    if (body.destroyed) return closed();
    const parts: Buffer[] = [];
    let length = 0;
    const settle = (ended: boolean) => {
      body.off('data', onData);
      resolve({start: Buffer.concat(parts), ended, body});
    };
    const onData = (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length <= bufferedBytes) return;
      body.pause();
      settle(false);
    };
    body.on('data', onData);
    body.once('end', () => settle(true));
    body.on('error', reject);
    body.once('close', closed);
  });
}

import type {Readable} from 'node:stream';
import {bufferedBytes} from '../messages.js';

/**
 * Reads a body up to `bufferedBytes` and a little more. By events: an asynchronous iterator takes a
 * millisecond of a short run.
 *
 * @param received gets the parts as they arrive, also of a body that breaks off
 * @returns whether the body has ended
 * @throws the error of the body, or that it was closed before its end
 */
export function readStart(body: Readable, received: Buffer[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const closed = () =>
      reject(body.errored ?? new Error('The response was closed before its end'));
    if (body.destroyed) return closed();
    let length = 0;
    const settle = (ended: boolean) => {
      body.off('data', onData).off('close', closed);
      resolve(ended);
    };
    const onData = (part: Buffer) => {
      received.push(part);
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

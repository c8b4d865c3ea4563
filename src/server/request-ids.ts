import {randomBytes} from 'node:crypto';

/**
 * Makes request ids that are unique across processes and restarts and cheap to draw: a random
 * prefix and a counter. They are always drawn here; one that a client sends is not taken, since two
 * requests under one id would make a log worthless.
 */
export function createRequestIds(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

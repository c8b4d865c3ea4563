// Replaces the module of got that gives each request a UUID, for which it loads `node:crypto`. An id
// that is unique in this process is enough.
export * from 'got/dist/source/core/diagnostics-channel.js';

let last = 0;

export function generateRequestId(): string {
  last += 1;
  return `${last}`;
}

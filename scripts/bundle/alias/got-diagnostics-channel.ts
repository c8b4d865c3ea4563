// For the module of got that names each request: with a UUID, for which it loads `node:crypto`. A name
// need only be unique in this process.
export * from 'got/dist/source/core/diagnostics-channel.js';

let last = 0;

export function generateRequestId(): string {
  last += 1;
  return `${last}`;
}

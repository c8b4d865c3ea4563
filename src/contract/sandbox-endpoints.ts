import type {Operation} from './endpoints.js';

/**
 * The control routes of `serve --sandbox`, without their schemas: the commands need no more, and this
 * module imports nothing at run time.
 */
export const sandboxEndpoints = {
  status: {method: 'GET', path: '/_sandbox/status'},
  advance: {method: 'POST', path: '/_sandbox/advance'},
  addFault: {method: 'POST', path: '/_sandbox/faults'},
  listFaults: {method: 'GET', path: '/_sandbox/faults'},
  clearFaults: {method: 'DELETE', path: '/_sandbox/faults'},
  removeFault: {method: 'DELETE', path: '/_sandbox/faults/{id}'},
  createFleet: {method: 'POST', path: '/_sandbox/fleet'},
  createTokens: {method: 'POST', path: '/_sandbox/tokens'},
  createKey: {method: 'POST', path: '/_sandbox/keys'},
  listRequests: {method: 'GET', path: '/_sandbox/requests'},
  clearRequests: {method: 'DELETE', path: '/_sandbox/requests'},
  reset: {method: 'POST', path: '/_sandbox/reset'},
} as const satisfies Record<string, {method: string; path: string}>;

/** The name of a control route. */
export type SandboxOperation = keyof typeof sandboxEndpoints;

/** The names of operations in faults and in the list of requests; `*` means all. */
export const faultOperations: ReadonlyMap<string, Operation | '*'> = new Map([
  ['create-token', 'createToken'],
  ['activate', 'activate'],
  ['list', 'list'],
  ['get', 'get'],
  ['heartbeat', 'heartbeat'],
  ['*', '*'],
]);

import type {Operation} from './endpoints.js';
import type {ConnectorStatus} from './resources.js';

/** The names of operations in faults; `*` means all. */
export const faultOperations: ReadonlyMap<string, Operation | '*'> = new Map([
  ['create-token', 'createToken'],
  ['activate', 'activate'],
  ['list', 'list'],
  ['get', 'get'],
  ['heartbeat', 'heartbeat'],
  ['*', '*'],
]);

/** The control routes. */
export const sandboxRoutes = {
  status: {method: 'GET', path: '/_sandbox/status'},
  advance: {method: 'POST', path: '/_sandbox/advance'},
  addFault: {method: 'POST', path: '/_sandbox/faults'},
  listFaults: {method: 'GET', path: '/_sandbox/faults'},
  clearFaults: {method: 'DELETE', path: '/_sandbox/faults'},
  createFleet: {method: 'POST', path: '/_sandbox/fleet'},
  createKey: {method: 'POST', path: '/_sandbox/keys'},
  reset: {method: 'POST', path: '/_sandbox/reset'},
} as const;

export type SandboxRoute = (typeof sandboxRoutes)[keyof typeof sandboxRoutes];

/** The number of connectors in each status. */
type CountByStatus = Readonly<Record<ConnectorStatus, number>>;

/** The current state of the sandbox; advance and reset return it too. */
export interface SandboxStatus {
  readonly clock: 'frozen' | 'running';
  /** Virtual seconds per real second while the clock runs. */
  readonly rate: number;
  /** Virtual time. */
  readonly now: string;
  readonly seed: number;
  /** In virtual seconds; responses to clients have the interval in real seconds. */
  readonly heartbeat_interval_seconds: number;
  readonly connectors: CountByStatus;
  readonly faults: number;
}

/** A fault and its effects so far. */
export interface SandboxFault {
  readonly id: number;
  readonly spec: string;
  /** Number of matching requests since the fault was added. */
  readonly matched: number;
  readonly applied: number;
}

export interface SandboxFleet {
  readonly organization: string;
  readonly connectors: CountByStatus;
}

/** A new API key of an organization. */
export interface SandboxKey {
  readonly id: string;
  readonly organization: string;
  readonly api_key: string;
}

import type {MonitorEvent} from '../../../domain/fleet/monitor.js';
import {runShell, withoutSecrets} from '../../supervision/shell.js';
import {deliveryJson} from './schema.js';

/** Milliseconds that the command may take. */
const timeout = 30_000;

/** What to hand over. */
interface Delivery {
  readonly service: string;
  readonly events: readonly MonitorEvent[];
  /** How many problems there are that were told and did not end. */
  readonly open: number;
}

/**
 * Runs the command of `--exec` with all events. What a connector sent is on stdin only, never part of the command
 * line or the environment. Its output goes to stderr: stdout has the events.
 *
 * @returns how it failed; undefined when it succeeded
 */
export function runExec(
  command: string,
  {service, events, open}: Delivery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const count = (change: MonitorEvent['change']) =>
    String(events.filter((event) => event.change === change).length);
  const env = {
    ...withoutSecrets(process.env),
    CONNECTORCTL_BEGAN: count('began'),
    CONNECTORCTL_ENDED: count('ended'),
    CONNECTORCTL_PROBLEMS: String(open),
  };
  const input = `${JSON.stringify(deliveryJson(service, events))}\n`;
  return runShell(command, {env, timeout, signal, input, output: 2});
}

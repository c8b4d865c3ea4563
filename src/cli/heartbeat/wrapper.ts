import {fstatSync} from 'node:fs';
import {reasonOf} from '../errors/system-error.js';
import {withoutSecrets} from '../supervision/shell.js';
import {readJobState} from '../terminal/job-control.js';
import {Relay} from '../terminal/relay.js';
import {exitBySignal} from '../terminal/signals.js';
import {setMessageOutput, writeError} from '../terminal/streams.js';
import type {LiveConnection} from './connection.js';
import type {RunFlags} from './flags.js';
import {Guard} from './guard.js';
import {runCheck} from './health-check.js';
import {sendHeartbeats, timeoutsPerTurn} from './process.js';
import {WrappedCommand} from './wrapped-command.js';

/** What to run, and how to keep its connector alive. Times are in milliseconds. */
interface WrapperOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The time limit of one request. */
  readonly timeout: number;
  readonly flags: Partial<RunFlags>;
}

const defaultCheckTimeout = 5000;

/**
 * Runs a command, and sends heartbeats until it ends. No failure or refusal of the service delays or ends the command.
 *
 * @returns the exit code of the command, or 128 and the number of the signal that killed it
 * @throws CommandNotStarted
 */
export async function runWrapped(
  connection: LiveConnection,
  options: WrapperOptions,
): Promise<number> {
  const env = commandEnvironment(process.env, connection.id);
  const guard = new Guard((error) =>
    writeError(
      `Warning: cannot run /bin/sh: ${reasonOf(error)}. If this process is killed, the command keeps running.`,
    ),
  );
  const command = await WrappedCommand.start(options.command, env, guard);
  const relay = relayFor(process.stderr, guard);
  setMessageOutput(relay);
  const stop = new AbortController();
  const {check, 'check-timeout': timeout = defaultCheckTimeout} = options.flags;
  const health = check === undefined ? undefined : {command: check, env, timeout, guard};
  const heartbeats = {
    connection,
    check: health && ((signal: AbortSignal) => runCheck(health, signal)),
    every: options.flags.every,
    turnLimit: timeoutsPerTurn * options.timeout + (health?.timeout ?? 0),
    accepted: () => undefined,
    endsWhenRevoked: false,
  };
  const beating = sendHeartbeats(heartbeats, stop.signal).catch((error: unknown) =>
    writeError(`Heartbeats have ended: ${reasonOf(error)}. The command keeps running.`),
  );
  const {code, signal} = await command.ended;
  stop.abort();
  await beating;
  setMessageOutput(undefined);
  await relay?.close();
  // After Ctrl-C, a shell ends its script or loop only if its child died of the signal.
  if (signal === 'SIGINT' && readJobState().isForeground) exitBySignal(signal);
  exitDuringLookup(code);
  return code;
}

/** What messages go through: starting the command has made stderr blocking. Only a file never blocks for long. */
function relayFor(stderr: NodeJS.WriteStream & {fd: 2}, guard: Guard): Relay | undefined {
  if (fstatSync(stderr.fd).isFile()) return undefined;
  return new Relay(stderr, (child, pid) => guard.watch(child, pid));
}

/** The environment of the command: this one with the connector's id, without secrets of ours. */
function commandEnvironment(env: NodeJS.ProcessEnv, id: string): NodeJS.ProcessEnv {
  return {...withoutSecrets(env), CONNECTORCTL_CONNECTOR_ID: id};
}

/** In Node 22.15 and newer. */
type Replaceable = NodeJS.Process & {
  readonly execve?: (file: string, args: readonly string[], env: object) => void;
};

/**
 * Ends the process without waiting for a DNS lookup. `process.exit` waits for one: without a response from
 * the name server, up to 10 s with the usual settings. Older versions of Node cannot avoid the wait.
 */
export function exitDuringLookup(code: number): void {
  if (!process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) return;
  const {execve}: Replaceable = process;
  execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {});
}

/** A command line, split at the first `--`. */
export interface SplitCommandLine {
  /** The words before `--`. */
  readonly own: string[];
  /** The command after `--` and its arguments; undefined without `--`. */
  readonly command: readonly string[] | undefined;
}

/** Splits a command line at the first `--`: the words after it belong to the wrapped command. */
export function splitCommandLine(argv: readonly string[]): SplitCommandLine {
  const end = argv.indexOf('--');
  if (end === -1) return {own: [...argv], command: undefined};
  return {own: argv.slice(0, end), command: argv.slice(end + 1)};
}

/** Variables that hold a key or a token, or that systemd sets for this process alone (sd_notify(3)). */
const hidden =
  /^(?:CONNECTORCTL_(?:API_KEY|ACTIVATION_TOKEN|STORE)|NOTIFY_SOCKET|WATCHDOG_USEC|WATCHDOG_PID)$/;

/** The environment of a wrapped command: this one with the connector's id, without secrets of ours. */
export function commandEnvironment(env: NodeJS.ProcessEnv, id: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !hidden.test(name));
  return {...Object.fromEntries(kept), CONNECTORCTL_CONNECTOR_ID: id};
}

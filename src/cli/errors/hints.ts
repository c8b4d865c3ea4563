import type {AppError} from '../../errors.js';

/** What to do next about an error, as a sentence or as a literal command. */
type Hint = string | ((error: AppError) => string);

/**
 * What to do about the errors of client, server and store, by their reason. They know neither the
 * flags nor the commands of the command line; this is the one place that says what to type.
 */
const hints: Readonly<Record<string, Hint>> = {
  // service
  'certificate-file-unreadable': 'Name readable PEM files with --tls-cert and --tls-key.',
  'certificate-invalid':
    'Both files must be PEM, and the key must be the one that the certificate was issued for.',
  'clear-text-refused':
    'Give --tls-cert and --tls-key, or --insecure-http behind a TLS proxy or in a private network.',
  'control-internal': 'This is a bug in connectorctl. Please report it with the message above.',
  'control-not-listening': 'Run the command again.',
  'control-unresponsive': 'Try again, or stop that service and run the command again.',
  'cors-origin-invalid':
    'Give --cors-origin origins as browsers send them, such as https://console.example, without a path or a final slash; or * alone.',
  'key-expiry-past': 'Choose a longer time with --expires.',
  'key-expiry-too-late':
    'Choose a shorter time with --expires, or omit it: the key is then valid until it is revoked.',
  'key-invalid': 'See: connectorctl key create --help',
  'key-not-in-store': 'See the ids of all keys with: connectorctl key list',
  'connector-not-in-store': 'See the ids of connectors with: connectorctl connector list',
  'listen-address-in-use':
    'Another process listens there. Choose another with --port, or a free one with --port 0.',
  'listen-address-not-local': 'This machine does not have that address. Change --host.',
  'listen-failed': 'Choose another address with --host, or another port with --port.',
  'listen-host-unknown': 'There is no such host name. Change --host.',
  'listen-port-privileged': 'Ports below 1024 need privileges. Choose a higher one with --port.',
  'metrics-host-invalid':
    'Give --metrics-host names without scheme, port or path, such as metrics.example,connectors.internal.',
  'network-invalid': ({details}) =>
    `Give ${settingFlag(details)} addresses or networks, such as 10.0.0.7,10.1.0.0/16, or ${details['names']}.`,
  'open-file-limit-too-low':
    'Raise it, for instance with ulimit -n 4096, LimitNOFILE= in a systemd unit, or --ulimit nofile=4096 for a container.',
  'revocation-reason-invalid': 'See: connectorctl key revoke --help',
  'setting-out-of-range': ({details}) => `Choose another value with ${settingFlag(details)}.`,
  'store-closed': 'The service is stopping. Try again when it is running.',
  'store-damaged':
    'Nothing was changed. Restore the store from a backup, or repair the file named above.',
  'store-exposed': 'Nothing was changed. Only its owner may be able to write to a store.',
  'store-forbidden':
    'This user may not read or write there. Run as its owner, or name another with --store.',
  'store-format': 'Name another store with --store, or use the connectorctl that made it.',
  'store-full': 'Nothing was changed. Free some space on the disk.',
  'store-locked': 'Stop that process, or name another store with --store.',
  'store-misconfigured': 'Check --store and the database: its name, user, password and privileges.',
  'store-missing':
    'Name the store with --store. connectorctl serve makes a new one, and so does key create.',
  'store-unavailable': 'Nothing was changed. Try again when it is back.',
  'store-unfinished':
    'Remove the copy and run store copy again, or name another store with --store.',
};

/** The flag of an option of the service: `--token-ttl` for `tokenTtl`. */
function settingFlag({setting = ''}: AppError['details']): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The error with the hint for its reason, unless it has a hint already. */
export function withHint(error: AppError): AppError {
  const hint = error.reason === undefined ? undefined : hints[error.reason];
  if (error.hint !== undefined || hint === undefined) return error;
  return error.with({hint: typeof hint === 'string' ? hint : hint(error)});
}

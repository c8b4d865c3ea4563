import type {ClientErrorReason} from '../../client/reasons.js';
import {endpoints} from '../../contract/endpoints.js';
import type {AppError} from '../../errors.js';
import {duration} from '../../terminal/time.js';

/** The parts of an error that a hint depends on. */
type Reasoned = Pick<AppError, 'details' | 'reason'> &
  Partial<Pick<AppError, 'kind' | 'retryAfter'>>;

/** The next step after an error, as a sentence or as a literal command. */
type Hint = string | ((error: Reasoned) => string);

/** Gives the hint if the base URL fails; another for a proxy, or for an address that a redirect or a link led to. */
const atBase =
  (hint: string): Hint =>
  ({details: {origin = '', baseUrl = origin, proxy, proxyVariable}}) => {
    if (origin === proxy)
      return `Correct ${proxyVariable}, or put the host of the service into NO_PROXY.`;
    const base = new URL(baseUrl).origin;
    return origin === base
      ? hint
      : `Correct the address in the redirects and links of ${base}, or use another base URL.`;
  };
const checkUrl = atBase('Check the base URL.');
const checkNetwork = atBase('Check the network, and the base URL.');

const tlsHint = 'If the service speaks TLS, its base URL starts with https://.';

/** Suggests the base URL without the path of the interface if it contains that path, else gives the hint. */
const orShorterBaseUrl =
  (hint: string): Hint =>
  ({details: {baseUrl = ''}}) => {
    const at = baseUrl.indexOf(endpoints.list.path);
    return at === -1
      ? hint
      : `Leave ${baseUrl.slice(at)} out of the base URL: ${baseUrl.slice(0, at)}`;
  };

const newToken =
  'Create a new token with: connectorctl token create. For a connector that exists, the operator of a connectorctl service runs: connectorctl store reissue';
/** Adds how to activate a connector again, which gives it a new key. @param own the hint for a connector's key */
const orActivation =
  (hint: string, own = hint): Hint =>
  ({details: {connectorId, keyKind}}) =>
    connectorId === undefined || keyKind === 'organizationKey'
      ? hint
      : `${keyKind === 'connectorKey' ? own : hint} If the connector was removed or its key was revoked, activate it again: connectorctl connector activate --force --credentials-file FILE`;
const newKey = orActivation('Ask for a new API key.', 'A newer one may have replaced it.');
const checkToken = `Check the activation token. ${newToken}`;
const checkPrefix = orShorterBaseUrl('Check the base URL: does it need a path prefix?');
const tryLater = 'Try again later; --debug shows the response of the service.';
const checkGateways = 'Check the proxies and gateways between here and the service.';
/** The hint to trust a service. @param certificates the missing ones, as a phrase */
const toTrust =
  (certificates: string): Hint =>
  ({details: {extraCertificates, extraCertificatesFault}}) => {
    const set =
      extraCertificates === undefined
        ? `set NODE_EXTRA_CA_CERTS to a PEM file with ${certificates}.`
        : `add ${certificates} to the file of NODE_EXTRA_CA_CERTS, ${extraCertificates}.`;
    return extraCertificatesFault ?? `If you trust the service: ${set}`;
  };

/** The flag of an option of the service: `--token-ttl` for `tokenTtl`. */
function settingFlag({setting = ''}: Reasoned['details']): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reasons that only users of the library meet: the command line checks the interval and the health itself. */
type LibraryReason = 'interval-invalid' | 'option-unknown' | 'unhealthy';

const hints: Readonly<Record<string, Hint>> = {
  // --- client ---

  'api-key-invalid': 'Paste only the key, without spaces or line breaks.',
  'auth-header-invalid': 'Pass only the name with --auth-header, such as X-API-Key.',
  'base-url-invalid': 'Write the base URL as http://host:port or https://host/prefix.',
  'connector-id-invalid': 'See the ids with: connectorctl connector list',
  'idempotency-key-invalid': 'Use only visible ASCII characters.',
  'proxy-invalid': ({details: {proxyVariable}}) =>
    `Set ${proxyVariable} to http://host:port, or NO_PROXY to the host of the service.`,
  'retries-invalid': 'Set another number with --retries.',
  'timeout-invalid': 'Set another time with --timeout, such as 10s.',

  'body-corrupt': checkGateways,
  'body-incomplete': checkGateways,
  'certificate-expired': 'Have the certificate renewed, and check the clock of this machine.',
  'certificate-invalid': checkUrl,
  'certificate-not-yet-valid': 'Check the clock of this machine.',
  'certificate-self-signed': toTrust('its certificate'),
  'certificate-untrusted': toTrust(
    'the certificates of the authority, and of the intermediate one if the service does not send it',
  ),
  'certificate-wrong-host': 'Use a base URL with the name that is in the certificate.',
  'connection-failed': atBase(
    'Check the base URL, and try again with --debug to see requests and responses.',
  ),
  'connection-lost': atBase(`Try again. ${tlsHint}`),
  'connection-refused': atBase(
    'Check that the service runs (connectorctl serve starts the reference service), and the base URL.',
  ),
  'headers-too-large': checkUrl,
  'host-unknown': checkUrl,
  'host-unreachable': checkNetwork,
  'host-unresolved': checkNetwork,
  'not-http': atBase(`Check the base URL. ${tlsHint}`),
  'not-tls': atBase('If the service speaks plain HTTP, its base URL starts with http://.'),
  'proxy-authentication-required': ({details: {proxyVariable}}) =>
    `Write them into ${proxyVariable ?? 'the variable of the proxy'}: http://USER:PASSWORD@HOST:PORT`,
  'proxy-failed': 'Try again later: the proxy may not reach the service, or not find its name.',
  'proxy-refused':
    'Ask for a rule in the proxy: many allow only port 443. Or put the host of the service into NO_PROXY.',
  'redirect-invalid': checkUrl,
  'redirect-loop': checkUrl,
  'timed-out': 'Try again, or allow more time with --timeout.',
  'tls-failed': 'Check that the service speaks TLS, and which versions it accepts.',

  'activation-token-expired': newToken,
  'activation-token-malformed': 'Copy the activation token again, all of it.',
  'activation-token-rejected': checkToken,
  'activation-token-unknown': `Check the service and the token. ${newToken}`,
  'activation-token-unusable': newToken,
  'activation-token-used': newToken,
  'api-key-expired': newKey,
  'api-key-malformed': 'Check that it is an API key, and copy all of it again.',
  'api-key-missing':
    'Save one with: connectorctl login. Or set CONNECTORCTL_API_KEY, or pass a file with --api-key-file.',
  'api-key-read-only':
    'Use a key that may write. The operator of a connectorctl service makes one with: connectorctl key create --access full',
  'api-key-rejected': orActivation('Check the API key, and that it belongs to this service.'),
  'api-key-removed':
    'The key was sent, but the service got none. Check the proxies in between: nginx drops a header with an underscore in its name, and Squid the header Authorization without login=PASSTHRU.',
  'api-key-revoked': newKey,
  'api-key-withheld': ({details: {origin}}) =>
    `This came from ${origin}, which does not get the API key. If that is the service, make it the base URL.`,
  'connector-conflict': 'See the status of the connectors with: connectorctl connector list',
  'connector-unknown': orShorterBaseUrl('See the connectors with: connectorctl connector list'),
  'operation-unsupported': checkPrefix,
  'redirect-not-followed': ({details: {redirectTarget}}) =>
    `It redirects to ${redirectTarget}. If that is the service, make it the base URL.`,
  'request-conflict': tryLater,
  'request-rejected': 'Correct what the service rejects; --debug shows what was sent.',
  'route-unknown': checkPrefix,
  'service-failed': tryLater,
  'service-unavailable': ({retryAfter}) =>
    retryAfter === undefined
      ? 'Try again later, or allow more retries with --retries.'
      : `The service asks to try again in ${Math.ceil(retryAfter / 1000)} s.`,
  'status-unexpected': 'Check the base URL; --debug shows the response of the service.',
  'too-many-connectors':
    'The token is still valid. The operator of a connectorctl service sets the limit with: connectorctl serve --max-connectors',
  'too-many-tokens':
    'Use the tokens that you have, or wait until some expire. The operator of a connectorctl service sets the limit with: connectorctl serve --max-tokens',

  'list-incomplete':
    'Try again. If it fails again, see the response with --debug: the service has to lead to the next page with a Link header or next_cursor.',
  'response-invalid': orShorterBaseUrl('Check that the base URL is that of a connectors service.'),
  'response-too-long': orShorterBaseUrl(
    'Check that the base URL is that of a connectors service. A longer list has to come in pages, with the parameter limit.',
  ),

  // --- service ---

  'audit-unavailable': 'Nobody reads the stderr of the service: redirect it, then try again.',
  'certificate-file-unreadable': 'Pass readable PEM files with --tls-cert and --tls-key.',
  'certificate-files-invalid':
    'Both files must be PEM, and the key must be the one that the certificate was issued for.',
  'clear-text-refused':
    'Pass --tls-cert and --tls-key, or --insecure-http behind a TLS proxy or in a private network.',
  'control-internal': 'This is a bug in connectorctl. Please report it with the message above.',
  'control-not-listening': 'Run the command again.',
  'control-other-version':
    'Restart the service with this version, or use the connectorctl that it runs.',
  'control-unresponsive': 'Try again, or stop that service and run the command again.',
  'fault-invalid': 'Write OPERATION:EFFECT[@WHEN], such as heartbeat:503@10%.',
  'key-expiry-invalid':
    'Choose another time with --expires, or omit it: the key is then valid until it is revoked.',
  'key-invalid': 'See: connectorctl key create --help',
  'key-not-in-store': 'See the ids of all keys with: connectorctl key list',
  'connector-not-in-store': 'See the ids of connectors with: connectorctl connector list',
  'listen-address-in-use':
    'Another process listens there. Choose another with --port, or a free one with --port 0.',
  'listen-address-not-local': 'This machine does not have that address. Change --host.',
  'listen-failed': 'Choose another address with --host, or another port with --port.',
  'listen-host-unknown': 'There is no such host name. Change --host.',
  'listen-port-privileged': 'Ports below 1024 need privileges. Choose a higher one with --port.',
  'network-invalid': ({details}) =>
    `Pass addresses or networks to ${settingFlag(details)}, such as 10.0.0.7,10.1.0.0/16, or ${details['names']}.`,
  'open-files-too-few': 'Raise the limit with ulimit -n 1024, or LimitNOFILE= of the unit.',
  'rate-too-high': ({details}) =>
    `The minimum is one second: set --heartbeat-interval to ${details['rate']}s or more, or lower --rate.`,
  'rate-without-effect': 'Choose --clock running, or leave out --rate.',
  'revocation-reason-invalid': 'See: connectorctl key revoke --help',
  'setting-out-of-range': ({details}) => `Choose another value with ${settingFlag(details)}.`,
  'store-closed': 'The service is stopping. Try again when it is running.',
  'store-damaged': 'Nothing was changed. Restore the store from a backup.',
  'store-exposed': 'Nothing was changed. Make sure that only the owner can write to the store.',
  'store-forbidden':
    'This user may not read or write there. Run as its owner, or choose another store.',
  'store-format': 'Choose another store, or use the connectorctl that created this one.',
  'store-full': 'Nothing was changed. Free some space on the disk.',
  'store-locked': 'Stop that process, or choose another store.',
  'store-misconfigured':
    'Check the URL of the store and the database: its name, user, password and privileges.',
  'store-missing':
    'Name the store of the service with --store, as its serve command does. Only connectorctl serve creates a new one.',
  'store-unavailable': 'Nothing was changed. Try again when the store is available.',
} satisfies Record<Exclude<ClientErrorReason, 'cancelled' | LibraryReason>, Hint> &
  Record<string, Hint>;

/** The hint after a lost response or an unreadable success: the operation may have been carried out. */
function outcomeHint(error: Reasoned): string | undefined {
  const {mayExist} = error.details;
  if (mayExist === 'token') {
    const hint = 'A token may have been created; unused, it expires by itself.';
    // Something other than the service may have responded.
    return error.kind === 'protocol'
      ? `${reasonHint(error)} ${hint}`
      : `${hint} To get one, run the command again.`;
  }
  if (mayExist !== 'connector') return undefined;
  const tls = error.reason === 'connection-lost' ? ` ${tlsHint}` : '';
  return `The connector may have been activated anyway, which uses up the token. Look for it with: connectorctl connector list.${tls}`;
}

/** Further possible causes of a client's error, as sentences for its hint. */
function addition({details: {proxy, proxyVariable, whyDirect, clockAhead}}: Reasoned): string {
  if (proxy !== undefined) return ` ${proxyVariable} names a proxy: ${proxy}`;
  if (whyDirect !== undefined) return ` No proxy was used: ${whyDirect}.`;
  if (clockAhead === undefined) return '';
  const ahead = Number(clockAhead);
  const difference = duration(Math.abs(ahead), Math.round);
  return ` The clock of this machine is ${difference} ${ahead > 0 ? 'ahead of' : 'behind'} the service's.`;
}

/**
 * The hint for an error of client, server or store, by its reason. Those modules know neither
 * the flags nor the commands of the command line.
 */
export function hintFor(error: Reasoned): string | undefined {
  return outcomeHint(error) ?? reasonHint(error);
}

function reasonHint(error: Reasoned): string | undefined {
  const hint = hints[error.reason ?? ''];
  if (hint === undefined) return undefined;
  const text = typeof hint === 'string' ? hint : hint(error);
  return text.includes(error.details.proxyVariable ?? '\n') ? text : text + addition(error);
}

/** The error with the hint for its reason, unless it has a hint already. */
export function withHint(error: AppError): AppError {
  const hint = error.hint ?? hintFor(error);
  return hint === error.hint ? error : error.with({hint});
}

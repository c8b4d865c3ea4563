import {defaultEndpoint} from '../../contract/limits.js';
import type {ErrorKind} from '../../errors.js';
import {errorMessage} from '../../node-errors.js';
import type {Retryability} from '../attempt-error.js';
import {isLoopback} from '../loopback.js';

/** What one code of Node, OpenSSL or got means to a person. */
export interface Fault {
  /** After "Cannot …: ". */
  readonly says: (host: string) => string;
  readonly hint: string | ((url: URL, base: URL) => string);
  /** `unavailable` unless named. */
  readonly kind?: ErrorKind;
  /** Of a request that was not sent yet; see `networkFailure`. */
  readonly fate: Retryability;
}

/** The service itself may have led to an address that does not work, by a redirect or a link. */
const atBase = (hint: string) => (url: URL, base: URL) =>
  url.origin === base.origin
    ? hint
    : `Correct the address in the redirects and links of ${base.origin}, or give another base URL.`;
const checkUrl = atBase('Check the base URL.');
const checkNetwork = atBase('Check the network, and the base URL.');
/** For plain HTTP, where an unanswered request may have reached a TLS port. */
export const tlsHint = 'If the service speaks TLS, its base URL starts with https://.';
const extraCa = (what: string) =>
  `${what} Set NODE_EXTRA_CA_CERTS to the PEM file of the authority that signed it.`;

/** How to start the reference service there, where it can be. */
function startHint(url: URL, base: URL): string | undefined {
  const isPlain = url.protocol === 'http:' && base.pathname === '/';
  if (url.origin !== base.origin || !isLoopback(url) || !isPlain) return undefined;
  const {hostname, port = ''} = url;
  const isDefaultHost = hostname === 'localhost' || hostname === defaultEndpoint.host;
  const host = isDefaultHost ? '' : ` --host ${hostname.replace(/[[\]]/g, '')}`;
  if (host === '' && port === String(defaultEndpoint.port)) {
    return 'Start the reference service with: connectorctl serve';
  }
  return `Check the base URL, or start the reference service there: connectorctl serve${host} --port ${port || 80}`;
}

const refused: Fault = {
  says: (host) => `nothing listens at ${host}`,
  hint: (url, base) =>
    startHint(url, base) ?? atBase('Check that the service runs, and the base URL.')(url, base),
  fate: 'unhandled',
};
const unreachable: Fault = {
  says: (host) => `${host} cannot be reached`,
  hint: checkNetwork,
  fate: 'unhandled',
};
const lost: Fault = {
  says: (host) => `the connection to ${host} was lost before the response was complete`,
  hint: ({protocol}) => (protocol === 'http:' ? `Try again. ${tlsHint}` : 'Try again.'),
  fate: 'unhandled',
};
const untrusted: Fault = {
  says: (host) => `the certificate of ${host} is signed by an authority that is not trusted here`,
  hint: extraCa('If you trust the service:'),
  fate: 'final',
};
const notTls: Fault = {
  says: (host) => `${host} does not speak TLS`,
  hint: 'If the service is plain HTTP, its base URL starts with http://.',
  fate: 'final',
};
const damaged: Fault = {
  says: (host) => `the compressed answer of ${host} is damaged`,
  hint: 'Check what stands between here and the service.',
  kind: 'protocol',
  fate: 'final',
};

const faults: Readonly<Record<string, Fault>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: {
    says: (host) => `the host name of ${host} does not exist`,
    hint: checkUrl,
    fate: 'final',
  },
  EAI_AGAIN: {
    says: (host) => `the host name of ${host} cannot be looked up now`,
    hint: checkNetwork,
    fate: 'unhandled',
  },
  EHOSTUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: unreachable,
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  ERR_STREAM_PREMATURE_CLOSE: lost,
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: lost,
  HPE_INVALID_EOF_STATE: lost,
  Z_BUF_ERROR: lost,
  CERT_HAS_EXPIRED: {
    says: (host) => `the certificate of ${host} has expired`,
    hint: 'Have it renewed, and check the clock of this machine.',
    fate: 'final',
  },
  CERT_NOT_YET_VALID: {
    says: (host) => `the certificate of ${host} is not valid yet`,
    hint: 'Check the clock of this machine.',
    fate: 'final',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    says: (host) => `the certificate of ${host} is for another host name`,
    hint: 'Use a base URL with the name that is in the certificate.',
    fate: 'final',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    says: (host) => `the certificate of ${host} is self-signed`,
    hint: 'If you trust it: set NODE_EXTRA_CA_CERTS to a PEM file that holds it.',
    fate: 'final',
  },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_SSL_HTTP_REQUEST: notTls,
  // The same three as OpenSSL numbers them.
  '0A00010B': notTls,
  '0A0000C6': notTls,
  '0A00009C': notTls,
  HPE_HEADER_OVERFLOW: {
    says: (host) => `the response of ${host} has more headers than can be read`,
    hint: checkUrl,
    kind: 'protocol',
    fate: 'final',
  },
  Z_DATA_ERROR: damaged,
  ERR_TOO_MANY_REDIRECTS: {
    says: (host) => `${host} redirects in circles`,
    hint: checkUrl,
    kind: 'protocol',
    fate: 'final',
  },
  ERR_INVALID_CHAR: {
    says: () => 'the Idempotency-Key has characters that no header can carry',
    hint: 'Use visible ASCII characters alone.',
    kind: 'usage',
    fate: 'final',
  },
  ERR_INVALID_URL: {
    says: (host) => `${host} redirects to something that is not a URL`,
    hint: checkUrl,
    kind: 'protocol',
    fate: 'final',
  },
};

/** Families of codes, where no code of its own is in the table. */
const families: readonly (readonly [RegExp, Fault])[] = [
  [
    /^HPE_/,
    {
      says: (host) => `what ${host} answers is not HTTP`,
      hint: (url, base) => (url.protocol === 'http:' ? tlsHint : checkUrl(url, base)),
      kind: 'protocol',
      fate: 'final',
    },
  ],
  [/^(Z_|ERR_.*(BROTLI|PADDING|FORMAT)|ERR__ERROR|ZSTD_)/, damaged],
  [
    /^(ERR_SSL_|EPROTO$|ERR_TLS_)/,
    {
      says: (host) => `no secure connection to ${host} could be made`,
      hint: 'Check which TLS versions the service takes, and that it speaks TLS at all.',
      fate: 'final',
    },
  ],
  [
    /CERT|CRL/,
    {says: (host) => `the certificate of ${host} is not valid`, hint: checkUrl, fate: 'final'},
  ],
];

/** What the proxy's agent says, without a code, when a tunnel is refused. */
const tunnelRefused = /^Bad response: (\d{3})$/;

const noTunnel: Fault = {
  says: (host) => `the proxy makes no connection to ${host}`,
  hint: 'Check the user name and the password in HTTPS_PROXY, and whether NO_PROXY should name the host.',
  fate: 'final',
};

const unforeseen: Fault = {
  says: (host) => `the request to ${host} failed`,
  hint: 'Try again, with --debug to see the wire.',
  fate: 'unhandled',
};

/** What to look up: the code, or what OpenSSL says beneath Node's `EPROTO`, which means little. */
export function faultOf(error: unknown, code = ''): Fault {
  const message = errorMessage(error);
  const openssl = /:error:([\dA-F]{8}):/.exec(message)?.[1] ?? '';
  const family = () => families.find(([pattern]) => pattern.test(code))?.[1];
  if (tunnelRefused.test(message)) return noTunnel;
  return faults[code] ?? faults[openssl] ?? family() ?? unforeseen;
}

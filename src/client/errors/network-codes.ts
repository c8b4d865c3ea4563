import type {ErrorKind} from '../../errors.js';
import {errorMessage} from '../../system/system-error.js';
import type {Retryability} from '../attempt-error.js';
import type {ClientErrorReason} from '../reasons.js';

/** What an error code of Node, OpenSSL or got means. */
interface CodeMeaning {
  readonly reason: ClientErrorReason;
  /** The end of a message, after "Cannot …: ". */
  readonly message: (host: string) => string;
  /** `unavailable` unless named. */
  readonly kind?: ErrorKind;
  /** For a request that was not sent yet; see `networkError`. `permanent` unless named. */
  readonly retryability?: Retryability;
}

const unreachable: CodeMeaning = {
  reason: 'host-unreachable',
  message: (host) => `${host} cannot be reached`,
  retryability: 'not-processed',
};
const lost: CodeMeaning = {
  reason: 'connection-lost',
  message: (host) => `the connection to ${host} was lost before the response was complete`,
  retryability: 'not-processed',
};
const untrusted: CodeMeaning = {
  reason: 'certificate-untrusted',
  message: (host) =>
    `the certificate of ${host} is signed by an authority that is not trusted here`,
};
const notTls: CodeMeaning = {
  reason: 'not-tls',
  message: (host) => `${host} does not speak TLS`,
};
const corrupt: CodeMeaning = {
  reason: 'body-corrupt',
  message: (host) => `the compressed response of ${host} is corrupt`,
  kind: 'protocol',
};

const meanings: Readonly<Record<string, CodeMeaning>> = {
  ECONNREFUSED: {
    reason: 'connection-refused',
    message: (host) => `nothing listens at ${host}`,
    retryability: 'not-processed',
  },
  ENOTFOUND: {
    reason: 'host-unknown',
    message: (host) => `the host name of ${host} does not exist`,
  },
  EAI_AGAIN: {
    reason: 'host-unresolved',
    message: (host) => `the host name of ${host} cannot be looked up now`,
    retryability: 'not-processed',
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
    reason: 'certificate-expired',
    message: (host) => `the certificate of ${host} has expired`,
  },
  CERT_NOT_YET_VALID: {
    reason: 'certificate-not-yet-valid',
    message: (host) => `the certificate of ${host} is not valid yet`,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'certificate-wrong-host',
    message: (host) => `the certificate of ${host} is for another host name`,
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    reason: 'certificate-self-signed',
    message: (host) => `the certificate of ${host} is self-signed`,
  },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_SSL_HTTP_REQUEST: notTls,
  // OpenSSL's numbers for the same three.
  '0A00010B': notTls,
  '0A0000C6': notTls,
  '0A00009C': notTls,
  HPE_HEADER_OVERFLOW: {
    reason: 'headers-too-large',
    message: (host) => `the headers of the response of ${host} are too long`,
    kind: 'protocol',
    retryability: 'not-processed',
  },
  Z_DATA_ERROR: corrupt,
  ERR_TOO_MANY_REDIRECTS: {
    reason: 'redirect-loop',
    message: (host) => `${host} redirects in a loop`,
    kind: 'protocol',
  },
  ERR_INVALID_CHAR: {
    reason: 'idempotency-key-invalid',
    message: () => 'the Idempotency-Key has characters that no header can carry',
    kind: 'usage',
  },
  ERR_INVALID_URL: {
    reason: 'redirect-invalid',
    message: (host) => `${host} redirects to something that is not a URL`,
    kind: 'protocol',
  },
};

/** Families of codes, for those that are not in the table. */
const families: readonly (readonly [RegExp, CodeMeaning])[] = [
  [
    /^HPE_/,
    {
      reason: 'not-http',
      message: (host) => `the response of ${host} is not HTTP`,
      kind: 'protocol',
    },
  ],
  [/^(Z_|ERR_.*(BROTLI|PADDING|FORMAT)|ERR__ERROR|ZSTD_)/, corrupt],
  [
    /^(ERR_SSL_|EPROTO$|ERR_TLS_)/,
    {
      reason: 'tls-failed',
      message: (host) => `no secure connection to ${host} could be established`,
    },
  ],
  [
    /CERT|CRL/,
    {
      reason: 'certificate-invalid',
      message: (host) => `the certificate of ${host} is not valid`,
    },
  ],
];

/** The message of the proxy's agent, which has no code, when the proxy refuses a tunnel. */
const tunnelRefused = /^Bad response: (\d{3})$/;

const proxyRefused: CodeMeaning = {
  reason: 'proxy-refused',
  message: (host) => `the proxy refused to connect to ${host}`,
};

const unknown: CodeMeaning = {
  reason: 'connection-failed',
  message: (host) => `the request to ${host} failed`,
  retryability: 'not-processed',
};

/** What an error means: by its code, or by OpenSSL's number beneath Node's unspecific `EPROTO`. */
export function meaningOf(error: unknown, code = ''): CodeMeaning {
  const message = errorMessage(error);
  const openssl = /:error:([\dA-F]{8}):/.exec(message)?.[1] ?? '';
  const family = () => families.find(([pattern]) => pattern.test(code))?.[1];
  if (tunnelRefused.test(message)) return proxyRefused;
  return meanings[code] ?? meanings[openssl] ?? family() ?? unknown;
}

import type {AppError, ErrorKind} from '../../errors.js';
import {errorCode, errorMessage as messageOf} from '../../system/system-error.js';
import {type CallContext, errorMessage, hostLabel, plainUrl} from '../context.js';
import {AttemptError, type Retryability} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {type ClientErrorReason, clientError} from '../reasons.js';

/** The meaning of an error code of Node, OpenSSL or got. */
interface CodeMeaning {
  readonly reason: ClientErrorReason;
  /** The end of a message, after "Cannot …: ". */
  readonly message: (host: string) => string;
  readonly kind: ErrorKind;
  /** For a request that was not sent yet; see `networkError`. */
  readonly retryability: Retryability;
}

/** @param text with HOST for the host */
const meaning =
  (retryability: Retryability, kind: ErrorKind) =>
  (reason: ClientErrorReason, text: string): CodeMeaning => {
    const message = (host: string) => text.replace('HOST', () => host);
    return {reason, message, kind, retryability};
  };

const passing = meaning('not-processed', 'unavailable');
const lasting = meaning('permanent', 'unavailable');
const broken = meaning('permanent', 'protocol');

const unreachable = passing('host-unreachable', 'HOST cannot be reached');
const lost = passing(
  'connection-lost',
  'the connection to HOST was lost before the response was complete',
);
const untrusted = lasting(
  'certificate-untrusted',
  'the certificate of HOST is signed by an authority that is not trusted here',
);
const notTls = lasting('not-tls', 'HOST does not speak TLS');
const corrupt = broken('body-corrupt', 'the compressed response of HOST is corrupt');

const meanings: Readonly<Record<string, CodeMeaning>> = {
  ECONNREFUSED: passing('connection-refused', 'nothing listens at HOST'),
  ENOTFOUND: lasting('host-unknown', 'the host name of HOST does not exist'),
  EAI_AGAIN: passing('host-unresolved', 'the host name of HOST cannot be looked up now'),
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
  CERT_HAS_EXPIRED: lasting('certificate-expired', 'the certificate of HOST has expired'),
  CERT_NOT_YET_VALID: lasting(
    'certificate-not-yet-valid',
    'the certificate of HOST is not valid yet',
  ),
  ERR_TLS_CERT_ALTNAME_INVALID: lasting(
    'certificate-wrong-host',
    'the certificate of HOST is for another host name',
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: lasting(
    'certificate-self-signed',
    'the certificate of HOST is self-signed',
  ),
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
  HPE_HEADER_OVERFLOW: meaning('not-processed', 'protocol')(
    'headers-too-large',
    'the headers of the response of HOST are too long',
  ),
  Z_DATA_ERROR: corrupt,
  ERR_TOO_MANY_REDIRECTS: broken('redirect-loop', 'HOST redirects in a loop'),
  ERR_INVALID_CHAR: meaning('permanent', 'usage')(
    'idempotency-key-invalid',
    'the Idempotency-Key has characters that no header can carry',
  ),
  ERR_INVALID_URL: broken('redirect-invalid', 'HOST redirects to something that is not a URL'),
};

/** Families of codes, for those that are not in the table. */
const families: readonly (readonly [RegExp, CodeMeaning])[] = [
  [/^HPE_/, broken('not-http', 'the response of HOST is not HTTP')],
  [/^(Z_|ERR_.*(BROTLI|PADDING|FORMAT)|ERR__ERROR|ZSTD_)/, corrupt],
  [
    /^(ERR_SSL_|EPROTO$|ERR_TLS_)/,
    lasting('tls-failed', 'no secure connection to HOST could be established'),
  ],
  [/CERT|CRL/, lasting('certificate-invalid', 'the certificate of HOST is not valid')],
];

/** The message of the proxy's agent, which has no code, when the proxy refuses a tunnel. */
const tunnelRefused = /^Bad response: (\d{3})$/;

const proxyRefused = lasting('proxy-refused', 'the proxy refused to connect to HOST');
const unknown = passing('connection-failed', 'the request to HOST failed');

/** The meaning of an error: by its code, or by OpenSSL's number beneath Node's unspecific `EPROTO`. */
export function meaningOf(error: unknown, code = ''): CodeMeaning {
  const message = messageOf(error);
  const openssl = /:error:([\dA-F]{8}):/.exec(message)?.[1] ?? '';
  const family = () => families.find(([pattern]) => pattern.test(code))?.[1];
  if (tunnelRefused.test(message)) return proxyRefused;
  return meanings[code] ?? meanings[openssl] ?? family() ?? unknown;
}

/** The progress of an attempt until it failed. */
export interface AttemptProgress {
  /** The address of the request, after redirects. */
  readonly url: URL;
  /** While `connecting`, nothing of the request was sent. */
  readonly progress: 'connecting' | 'waiting' | 'reading';
  readonly proxy: ProxyRoute | undefined;
}

/**
 * Turns an error of got, Node or OpenSSL into ours. Only the code of the original is kept: got's
 * carries the request with its headers, Node's parser errors the bytes that they stopped at.
 */
export function networkError(
  context: CallContext,
  error: unknown,
  point: AttemptProgress,
): AttemptError {
  const code = errorCode(error);
  const {reason, message, kind, retryability} = meaningOf(error, code);
  const text = `${message(hostLabel(context, point.url))}${code ? ` (${code})` : ''}`;
  const app = clientError(kind, errorMessage(context, text), reason, {
    details: detailsOf(context, point),
  });
  return new AttemptError(app, retryabilityAt(point, retryability));
}

/** A lost request may be done, and so is certainly one whose response has begun. */
function retryabilityAt({progress}: AttemptProgress, unsent: Retryability): Retryability {
  if (progress === 'reading') return 'unknown';
  return unsent === 'not-processed' && progress === 'waiting' ? 'unknown' : unsent;
}

/** The failure of an attempt that outlasted its time limit. */
export function timeoutError(
  context: CallContext,
  milliseconds: number,
  point: AttemptProgress,
): AttemptError {
  const within = `within ${milliseconds / 1000} s`;
  const host = hostLabel(context, point.url);
  const text = {
    connecting: `no connection to ${host} ${within}`,
    waiting: `no response from ${host} ${within}`,
    reading: `the response of ${host} was not complete ${within}`,
  }[point.progress];
  const app = clientError('unavailable', errorMessage(context, text), 'timed-out', {
    details: detailsOf(context, point),
  });
  return new AttemptError(app, point.progress === 'connecting' ? 'not-processed' : 'unknown');
}

/** The proxy is named because it may be the cause, and many users do not know that they have one. */
function detailsOf({base}: CallContext, {url, proxy}: AttemptProgress): AppError['details'] {
  return {
    origin: url.origin,
    baseUrl: plainUrl(base),
    ...(proxy && {proxy: proxy.address, proxyVariable: proxy.variable}),
  };
}

import type {ErrorKind} from '../../errors.js';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {type CallContext, callError, hostLabel} from '../context.js';
import type {Received} from '../http/exchange.js';
import type {ClientError} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {type ClientErrorReason, networkTexts} from '../reasons.js';

type Meaning = readonly [
  mark: RegExp,
  reason: keyof typeof networkTexts,
  persistence: 'lasting' | 'passing',
  kind?: ErrorKind,
];

/**
 * The reasons by the codes of Node, got and OpenSSL (its numbers accompany Node's unspecific `EPROTO`), and by the
 * message of the proxy's agent, whose errors have no code. Another attempt may remove a passing one. The kind is
 * `unavailable` unless it is named. The first match wins.
 */
const meanings: readonly Meaning[] = [
  [/^ECONNREFUSED$/, 'connection-refused', 'passing'],
  [/^ENOTFOUND$/, 'host-unknown', 'lasting'],
  [/^EAI_AGAIN$/, 'host-unresolved', 'passing'],
  [/^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/, 'host-unreachable', 'passing'],
  [/^(EADDRNOTAVAIL|ETIMEDOUT)$/, 'host-unreachable', 'passing'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection-lost', 'passing'],
  [/^ERR_HTTP_CONTENT_LENGTH_MISMATCH$/, 'connection-lost', 'passing'],
  [/^(HPE_INVALID_EOF_STATE|Z_BUF_ERROR)$/, 'connection-lost', 'passing'],
  [/^Bad response: \d{3}$/, 'proxy-refused', 'lasting'],
  [/^CERT_HAS_EXPIRED$/, 'certificate-expired', 'lasting'],
  [/^CERT_NOT_YET_VALID$/, 'certificate-not-yet-valid', 'lasting'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate-wrong-host', 'lasting'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'certificate-self-signed', 'lasting'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'certificate-untrusted', 'lasting'],
  [/^UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?$/, 'certificate-untrusted', 'lasting'],
  [/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, 'certificate-untrusted', 'lasting'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'not-tls', 'lasting'],
  // OpenSSL's numbers for the same three.
  [/^0A0000(C6|9C)$|^0A00010B$/, 'not-tls', 'lasting'],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'redirect-loop', 'lasting', 'protocol'],
  [/^ERR_INVALID_CHAR$/, 'idempotency-key-invalid', 'lasting', 'usage'],
  [/^ERR_INVALID_URL$/, 'redirect-invalid', 'lasting', 'protocol'],
  [/^HPE_HEADER_OVERFLOW$/, 'headers-too-large', 'passing', 'protocol'],
  [/^HPE_/, 'not-http', 'lasting', 'protocol'],
  [/^(Z_|ERR_.*(BROTLI|PADDING|FORMAT)|ERR__ERROR|ZSTD_)/, 'body-corrupt', 'lasting', 'protocol'],
  [/^(ERR_SSL_|EPROTO$|ERR_TLS_)/, 'tls-failed', 'lasting'],
  [/^\w*(CERT|CRL)\w*$/, 'certificate-invalid', 'lasting'],
];
const otherFailure: Meaning = [/^/, 'connection-failed', 'passing'];

/** The reason for a missing or incomplete response. */
export interface NetworkFailure {
  readonly reason: ClientErrorReason;
  /** The end of a message. */
  readonly text: string;
  /** Default: `unavailable`. */
  readonly kind?: ErrorKind | undefined;
  /** Whether no other attempt can succeed. */
  readonly isLasting?: boolean;
}

/** Describes the failure of a request. @param host the host's name in the text */
export function failureOf({response, isSent, error}: Received, host: string): NetworkFailure {
  const message = errorMessage(error);
  const code = errorCode(error) ?? '';
  if (code === 'ERR_ABORTED') return {reason: 'cancelled', text: 'canceled', kind: 'cancelled'};
  if (code === 'TIMED_OUT') {
    const unsent = isSent ? `no response from ${host}` : `no connection to ${host}`;
    const late = response ? `the response of ${host} was not complete` : unsent;
    return {reason: 'timed-out', text: `${late} ${message}`};
  }
  const openssl = /:error:([\dA-F]{8}):/.exec(message)?.[1] ?? '';
  const isMatch = ([pattern]: Meaning) =>
    [code, openssl, message].some((mark) => pattern.test(mark));
  const [, reason, persistence, kind] = meanings.find(isMatch) ?? otherFailure;
  const text = networkTexts[reason].replace('HOST', () => host);
  const isLasting = persistence === 'lasting';
  return {reason, text: code === '' ? text : `${text} (${code})`, kind, isLasting};
}

/**
 * The error of an attempt that was canceled, timed out, or broke. It has only the code of the original error: errors of
 * got carry the request headers, and errors of Node's parser carry received bytes.
 */
export function networkError(
  context: CallContext,
  received: Received,
  proxy: ProxyRoute | undefined,
): ClientError {
  const {response, isSent, url} = received;
  const failure = failureOf(received, hostLabel(context, url));
  const {reason, text, kind = 'unavailable'} = failure;
  // Another attempt may bring the rest of a response.
  const isPassing = response !== undefined || !failure.isLasting;
  return callError(context, kind, reason, text, {
    // The proxy may be the cause, and many users do not know that they have one.
    details: {origin: url.origin, proxy: proxy?.address, proxyVariable: proxy?.variable},
    isPassing,
    isLost: isPassing && isSent,
  });
}

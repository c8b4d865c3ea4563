import type {ErrorKind} from '../../errors.js';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {type CallContext, callError, hostLabel} from '../context.js';
import type {Received} from '../http/exchange.js';
import type {ClientError} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {type ClientErrorReason, lastingFailures, passingFailures} from '../reasons.js';

const texts = {...passingFailures, ...lastingFailures};

/**
 * The reasons by the codes of Node, got and OpenSSL (its numbers accompany Node's unspecific `EPROTO`), and by the
 * message of the proxy's agent, whose errors have no code; the kind is `unavailable` unless it is named. The first match
 * wins.
 */
const codes: readonly (readonly [RegExp, keyof typeof texts, ErrorKind?])[] = [
  [/^ECONNREFUSED$/, 'connection-refused'],
  [/^ENOTFOUND$/, 'host-unknown'],
  [/^EAI_AGAIN$/, 'host-unresolved'],
  [/^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT)$/, 'host-unreachable'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/, 'connection-lost'],
  [/^(ERR_HTTP_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE|Z_BUF_ERROR)$/, 'connection-lost'],
  [/^Bad response: \d{3}$/, 'proxy-refused'],
  [/^CERT_HAS_EXPIRED$/, 'certificate-expired'],
  [/^CERT_NOT_YET_VALID$/, 'certificate-not-yet-valid'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate-wrong-host'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'certificate-self-signed'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'certificate-untrusted'],
  [/^UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)$/, 'certificate-untrusted'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'not-tls'],
  // OpenSSL's numbers for the same three.
  [/^0A0000(C6|9C)$|^0A00010B$/, 'not-tls'],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'redirect-loop', 'protocol'],
  [/^ERR_INVALID_CHAR$/, 'idempotency-key-invalid', 'usage'],
  [/^ERR_INVALID_URL$/, 'redirect-invalid', 'protocol'],
  [/^HPE_HEADER_OVERFLOW$/, 'headers-too-large', 'protocol'],
  [/^HPE_/, 'not-http', 'protocol'],
  [/^(Z_|ERR_.*(BROTLI|PADDING|FORMAT)|ERR__ERROR|ZSTD_)/, 'body-corrupt', 'protocol'],
  [/^(ERR_SSL_|EPROTO$|ERR_TLS_)/, 'tls-failed'],
  [/^\w*(CERT|CRL)\w*$/, 'certificate-invalid'],
];

/** The reason for a missing or incomplete response. */
export interface NetworkFailure {
  readonly reason: ClientErrorReason;
  /** The end of a message. */
  readonly text: string;
  /** Default: `unavailable`. */
  readonly kind?: ErrorKind | undefined;
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
  const isMatch = ([pattern]: (typeof codes)[number]) =>
    [code, openssl, message].some((mark) => pattern.test(mark));
  const [, reason, kind] = codes.find(isMatch) ?? [/$/, 'connection-failed'];
  const text = texts[reason].replace('HOST', () => host);
  return {reason, text: code === '' ? text : `${text} (${code})`, kind};
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
  const {reason, text, kind = 'unavailable'} = failureOf(received, hostLabel(context, url));
  // Another attempt may bring the rest of a response.
  const isPassing = response !== undefined || !(reason in lastingFailures);
  return callError(context, kind, reason, text, {
    // The proxy may be the cause, and many users do not know that they have one.
    details: {origin: url.origin, proxy: proxy?.address, proxyVariable: proxy?.variable},
    isPassing,
    isLost: isPassing && isSent,
  });
}

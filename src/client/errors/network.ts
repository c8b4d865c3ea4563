import type {ErrorKind} from '../../errors.js';
import {extraCertificates} from '../../system/extra-certificates.js';
import {errorCode, errorMessage} from '../../system/system-error.js';
import {type CallContext, callError, hostLabel} from '../context.js';
import type {Received} from '../http/exchange.js';
import type {ClientError} from '../messages.js';
import {whyDirect} from '../proxy.js';
import {type ClientErrorReason, networkTexts} from '../reasons.js';
import {outcomeOf} from './outcomes.js';

type Meaning = readonly [
  mark: RegExp,
  reason: keyof typeof networkTexts,
  persistence: 'lasting' | 'passing',
  kind?: ErrorKind,
];

/**
 * The reasons by the codes of Node, got and OpenSSL (its numbers accompany Node's unspecific `EPROTO`), and by the
 * status of a proxy's response to CONNECT. After a `passing` failure, a later attempt may succeed. The kind is
 * `unavailable` unless a row names another. The first match wins.
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
  // tinyproxy 1.11 answers a wrong password with 401.
  [/^CONNECT 40[17]$/, 'proxy-authentication-required', 'lasting'],
  [/^CONNECT (4(08|29)|5\d\d)$/, 'proxy-failed', 'passing'],
  [/^CONNECT /, 'proxy-refused', 'lasting'],
  [/^CERT_HAS_EXPIRED$/, 'certificate-expired', 'lasting'],
  [/^CERT_NOT_YET_VALID$/, 'certificate-not-yet-valid', 'lasting'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate-wrong-host', 'lasting'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'certificate-self-signed', 'lasting'],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'certificate-untrusted', 'lasting'],
  [/^UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?$/, 'certificate-untrusted', 'lasting'],
  [/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, 'certificate-untrusted', 'lasting'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'not-tls', 'lasting'],
  // OpenSSL's numbers for the three codes above.
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

/** The number and the reason in an error of OpenSSL: `error:0A000458:SSL routines:FUNCTION:tlsv1 unrecognized name:`. */
const opensslError = /:error:([\dA-F]{8}):[^:]*:[^:]*:([^:]*):/;

/** The reason for a missing or incomplete response. */
export interface NetworkFailure {
  readonly reason: ClientErrorReason;
  /** The end of a message. */
  readonly text: string;
  /** Default: `unavailable`. */
  readonly kind?: ErrorKind | undefined;
  /** Whether every other attempt fails too. */
  readonly isLasting?: boolean;
}

/** Describes the failure of a request. @param service the service's name in the text */
export function failureOf(
  {response, isConnected, proxy, error}: Received,
  service: string,
): NetworkFailure {
  const message = errorMessage(error);
  const code = errorCode(error) ?? '';
  const isProxy = proxy !== undefined && !isConnected;
  const host = isProxy ? `the proxy ${proxy.url.origin}` : service;
  if (code === 'ERR_ABORTED') return {reason: 'cancelled', text: 'canceled', kind: 'cancelled'};
  if (code === 'TIMED_OUT') {
    const unsent = isConnected ? `no response from ${host}` : `no connection to ${host}`;
    const late = response ? `the response of ${host} was not complete` : unsent;
    return {reason: 'timed-out', text: `${late} ${message}`};
  }
  const [, openssl = '', said = ''] = opensslError.exec(message) ?? [];
  const isMatch = ([pattern]: Meaning) => [code, openssl].some((mark) => pattern.test(mark));
  const [, reason, persistence, kind] = meanings.find(isMatch) ?? otherFailure;
  const texts = {HOST: code.startsWith('CONNECT') ? service : host, PROXY: `${proxy?.url.origin}`};
  const text = networkTexts[reason].replace(/HOST|PROXY/g, (name) => texts[name as 'HOST']);
  const marks = [code, said].filter(Boolean).join(': ');
  const isLasting = persistence === 'lasting';
  return {reason, text: marks === '' ? text : `${text} (${marks})`, kind, isLasting};
}

/**
 * The error of an attempt that was canceled, timed out, or failed. Of the cause, it keeps only the code and
 * OpenSSL's reason: errors of got carry the request headers, and errors of Node's parser carry received bytes.
 */
export function networkError(context: CallContext, received: Received): ClientError {
  const {response, isConnected, isSent, url, proxy} = received;
  const failure = failureOf(received, hostLabel(context, url));
  const {reason, text, kind = 'unavailable', isLasting = false} = failure;
  const extra = reason.startsWith('certificate-') ? extraCertificates() : undefined;
  // After an incomplete response, another attempt may receive all of it.
  const isPassing = response !== undefined || !isLasting;
  return callError(context, kind, reason, text, {
    details: {
      // Before the tunnel is open, only the proxy can have failed.
      origin: proxy === undefined || isConnected ? url.origin : proxy.url.origin,
      // The proxy may be the cause, and many users do not know that they have one.
      proxy: proxy?.url.origin,
      proxyVariable: proxy?.variable,
      whyDirect: (proxy ?? isConnected) ? undefined : whyDirect(url),
      extraCertificates: extra?.path,
      extraCertificatesFault: extra?.fault,
    },
    isPassing: isPassing && (!isSent || outcomeOf(context.operation).isPassing),
    isLost: isPassing && isSent,
  });
}

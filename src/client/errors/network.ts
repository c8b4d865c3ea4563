import type {AppError} from '../../errors.js';
import {errorCode} from '../../system/system-error.js';
import {type CallContext, errorMessage, hostLabel, plainUrl} from '../context.js';
import {AttemptError, type Retryability} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {clientError} from '../reasons.js';
import {meaningOf} from './network-codes.js';

/** Where an attempt failed. */
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

import {AppError} from '../../errors.js';
import {errorCode} from '../../node-errors.js';
import {AttemptError} from '../attempt-error.js';
import {type CallContext, errorMessage, hostLabel} from '../context.js';
import type {ProxyRoute} from '../proxy.js';
import {faultOf} from './network-faults.js';

/** A proxy may be what fails, and many do not know that they use one. */
function withProxy(hint: string, proxy: ProxyRoute | undefined): string {
  return proxy ? `${hint} The environment names a proxy: ${proxy.address}` : hint;
}

/** Where an attempt failed. */
export interface AttemptProgress {
  /** The address that was being asked, after redirects. */
  readonly url: URL;
  /** Until there is a connection, the request was surely not sent. */
  readonly progress: 'connecting' | 'waiting' | 'reading';
  readonly proxy: ProxyRoute | undefined;
}

/**
 * Turns an error of got, Node or OpenSSL into ours. Nothing of the original is kept but its code:
 * got's carries the request with its headers, Node's parser errors the bytes that they stopped at.
 */
export function networkError(
  context: CallContext,
  error: unknown,
  {url, progress, proxy}: AttemptProgress,
): AttemptError {
  const code = errorCode(error);
  const fault = faultOf(error, code);
  const reason = `${fault.says(hostLabel(context, url))}${code ? ` (${code})` : ''}`;
  const hint = typeof fault.hint === 'string' ? fault.hint : fault.hint(url, context.base);
  const app = new AppError(fault.kind ?? 'unavailable', errorMessage(context, reason), {
    hint: withProxy(hint, proxy),
  });
  const sent = progress !== 'connecting';
  return new AttemptError(app, fault.fate === 'unhandled' && sent ? 'unknown' : fault.fate);
}

/** The failure of an attempt that outlasted its time limit. */
export function timeoutError(
  context: CallContext,
  milliseconds: number,
  {url, progress, proxy}: AttemptProgress,
): AttemptError {
  const within = `within ${milliseconds / 1000} s`;
  const place = hostLabel(context, url);
  const reason = {
    connecting: `no connection to ${place} ${within}`,
    waiting: `no response from ${place} ${within}`,
    reading: `the response of ${place} was not complete ${within}`,
  }[progress];
  const app = new AppError('unavailable', errorMessage(context, reason), {
    hint: withProxy('Try again, or allow more time with --timeout.', proxy),
  });
  return new AttemptError(app, progress === 'connecting' ? 'unhandled' : 'unknown');
}

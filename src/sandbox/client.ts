import {headers} from '../contract/headers.js';
import type {SandboxRoute} from '../contract/sandbox.js';
import {AppError} from '../errors.js';
import {errorCode} from '../system/system-error.js';

const tokenHint = 'Pass its file with --control-token-file, or set CONNECTORCTL_CONTROL_TOKEN.';

const startOne = 'Start one with: connectorctl serve --sandbox';

/** A call of a control route. */
interface ControlCall {
  readonly route: SandboxRoute;
  readonly body?: object | undefined;
  /** The control token, for a sandbox that has one. */
  readonly token?: string | undefined;
  /** Time limit in milliseconds. */
  readonly timeout: number;
}

/**
 * Calls a control route of the sandbox at a base URL, without an API key.
 *
 * @throws AppError if no sandbox responds, or if the sandbox refuses the request
 */
export async function callSandbox<Result>(baseUrl: URL, call: ControlCall): Promise<Result> {
  const {response, content} = await send(baseUrl, call);
  if (!response.headers.has(headers.clock)) {
    throw new AppError('not_found', `The service at ${baseUrl.origin} is not a sandbox.`, {
      hint: startOne,
      status: response.status,
    });
  }
  if (!response.ok) throw refusal(response.status, content);
  return content as Result;
}

async function send(
  {href, origin}: URL,
  {route: {method, path}, body, token, timeout}: ControlCall,
): Promise<{readonly response: Response; readonly content: unknown}> {
  try {
    const response = await fetch(`${href.replace(/\/$/, '')}${path}`, {
      method,
      ...(token !== undefined && {headers: {[headers.authorization]: `Bearer ${token}`}}),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
      ...(body && {body: JSON.stringify(body)}),
    });
    const content: unknown = await response.json().catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) throw error;
    });
    return {response, content};
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new AppError('unavailable', `No response from ${origin} within ${timeout / 1000}s.`, {
        reason: 'timed-out',
        cause: error,
      });
    }
    const code = errorCode(error instanceof Error ? error.cause : error);
    const message = `Cannot connect to ${origin}${code === undefined ? '' : ` (${code})`}.`;
    throw new AppError('unavailable', message, {
      hint: `${startOne}. Set it with --base-url.`,
      cause: error,
    });
  }
}

/** The error for a refused request, from the problem document of the service (RFC 9457). */
function refusal(status: number, content: unknown): AppError {
  const {title, detail, errors, code}: Record<string, unknown> = Object(content);
  const [first]: readonly {path?: unknown; message?: unknown}[] = Array.isArray(errors)
    ? errors
    : [];
  const known = typeof code === 'string' && {code};
  const reason = first === undefined ? detail : `${String(first.path).slice(1)} ${first.message}`;
  if (status === 401) {
    const message =
      code === 'key_missing'
        ? 'The sandbox needs its control token.'
        : 'The sandbox does not accept the control token.';
    return new AppError('auth', message, {status, ...known, hint: tokenHint});
  }
  return new AppError(
    status < 500 ? 'usage' : 'remote',
    `The sandbox refuses the request: ${reason ?? title ?? `status ${status}`}`,
    {status, ...known, hint: 'See: connectorctl sandbox --help'},
  );
}

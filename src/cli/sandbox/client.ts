import {headers} from '../../contract/headers.js';
import {type SandboxOperation, sandboxEndpoints} from '../../contract/sandbox-endpoints.js';
import {AppError} from '../../errors.js';
import {errorCode} from '../../system/error-codes.js';

/** Time limit of a control request in milliseconds; a large fleet takes a while. */
const patience = 10 * 60 * 1000;

const startOne = 'Start one with: connectorctl serve --sandbox';

/**
 * Calls a control route of the sandbox at a base URL, without an API key.
 *
 * @throws AppError if there is no sandbox, or if it refuses the request
 */
export async function callSandbox<Result>(
  baseUrl: URL,
  operation: SandboxOperation,
  body?: object,
): Promise<Result> {
  const {method, path} = sandboxEndpoints[operation];
  const url = new URL(`${baseUrl.href.replace(/\/$/, '')}${path}`);
  const response = await send(url, method, body);
  const content: unknown = await response.json().catch(() => undefined);
  if (!response.headers.has(headers.sandbox)) {
    throw new AppError('not_found', `The service at ${baseUrl.origin} is not a sandbox.`, {
      hint: startOne,
      status: response.status,
    });
  }
  if (!response.ok) throw refusal(response.status, content);
  return content as Result;
}

async function send(url: URL, method: string, body: object | undefined): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
      ...(body && {body: JSON.stringify(body)}),
    });
  } catch (error) {
    const code = errorCode(error instanceof Error ? error.cause : error);
    throw new AppError(
      'unavailable',
      `Cannot connect to ${url.origin}${code === undefined ? '' : ` (${code})`}.`,
      {hint: `${startOne}. Set it with --base-url.`, cause: error},
    );
  }
}

/** The error of the service (RFC 9457). */
function refusal(status: number, content: unknown): AppError {
  const {title, detail, errors, code}: ProblemFields = Object(content);
  const [first]: readonly {path?: unknown; message?: unknown}[] = Array.isArray(errors)
    ? errors
    : [];
  const reason = first === undefined ? detail : `${String(first.path).slice(1)} ${first.message}`;
  return new AppError(
    status < 500 ? 'usage' : 'remote',
    `The sandbox refuses the request: ${reason ?? title ?? `status ${status}`}`,
    {status, ...(typeof code === 'string' && {code}), hint: 'See: connectorctl sandbox --help'},
  );
}

interface ProblemFields {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly errors?: unknown;
  readonly code?: unknown;
}

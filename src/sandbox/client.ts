import {Flags} from '@oclif/core';
import {readSettings} from '../client/settings.js';
import type * as Suite from '../conformance/suite.js';
import {hasVirtualClock, headers} from '../contract/headers.js';
import {type SandboxRoute, type SandboxStatus, sandboxRoutes} from '../contract/sandbox.js';
import {AppError} from '../errors.js';
import type {VariableWithoutFlag} from '../flags.js';
import {readSecret} from '../service/secret-input.js';
import {errorCode} from '../system/system-error.js';
import type {Io} from '../terminal/io.js';

const variable: VariableWithoutFlag = 'CONNECTORCTL_CONTROL_TOKEN';

/** The flag for a sandbox that has a control token. */
export const controlTokenFlags = {
  'control-token-file': Flags.string({
    description: "file that holds the sandbox's control token, where it has one",
    env: 'CONNECTORCTL_CONTROL_TOKEN_FILE',
    helpGroup: 'SERVICE',
    helpValue: 'PATH',
  }),
};

/** The control token: from its file, else from `CONNECTORCTL_CONTROL_TOKEN`. @throws AppError `usage` */
export function readControlToken(
  flags: {readonly 'control-token-file'?: string | undefined},
  io: Io,
): Promise<string | undefined> {
  const names = {what: 'control token', flag: '--control-token-file', io};
  return readSecret(flags['control-token-file'], variable, names);
}

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

/** Returns a function that gives a session, after its first requests, the virtual clock of its service, if any. */
export async function virtualTime(
  flags: Parameters<typeof readControlToken>[0],
  io: Io,
): Promise<(session: Suite.Session) => void> {
  const token = await readControlToken(flags, io);
  return (session) => {
    const responses = session.exchanges.flatMap(({response}) => response ?? []);
    if (!responses.some(({headers}) => hasVirtualClock(headers))) return;
    io.note('The clock of this service is virtual: checks advance it instead of waiting.');
    const {base, timeout} = readSettings(session.options.client);
    const timeFrom = async (route: SandboxRoute, body?: object) => {
      const call = {route, body, token, timeout};
      return Date.parse((await callSandbox<SandboxStatus>(base, call)).now);
    };
    session.time = {
      isVirtual: true,
      now: () => timeFrom(sandboxRoutes.status),
      canPass: () => true,
      letPass: (time) =>
        timeFrom(sandboxRoutes.advance, {seconds: Math.max(1, Math.ceil(time / 1000))}),
    };
  };
}

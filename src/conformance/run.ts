import {ClientError} from '../client/messages.js';
import type {Operation} from '../contract/endpoints.js';
import type {Finding, FindingStatus} from '../domain/check/findings.js';
import {AppError} from '../errors.js';
import type {Exchange} from './exchange.js';
import {type Check, type Level, turns} from './model.js';
import {type CheckOutcome, fail, Inconclusive, type Need, skip} from './outcome.js';
import type {Secrets} from './secrets.js';
import type {Session} from './session.js';

/** Maximum UTF-16 code units of an observation: a service may send names of any length. */
const longestMessage = 300;

/** Options for running and evaluating checks. */
interface RunOptions {
  /** Whether a `should` that does not hold is a failure, rather than a warning. */
  readonly strict: boolean;
  /** The reasons to skip a check, by the requirement that the run does not meet. */
  readonly missing: Readonly<Record<Need, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onCheck?: ((check: Check) => void) | undefined;
}

/**
 * Reads the list, and an unknown connector if the list is refused for the key, or not answered.
 *
 * @throws AppError for a service that cannot be checked: `unavailable` without a response or for 429, `auth` for the key
 */
export async function reach(session: Session): Promise<void> {
  const {origin, href} = session.base;
  const {exchange: list} = await session.listing();
  if (list.isRateLimited) {
    const message = `${origin} limits the rate of requests and refused all of them, so nothing can be checked.`;
    throw new AppError('unavailable', message, {hint: 'Try again later.', status: 429});
  }
  if (list.response !== undefined && !list.isRefusedKey) return;
  const get = await session.unknownId();
  const responses = [list, get].filter(({response}) => response !== undefined);
  if (responses.length === 0) {
    const {reason, text} = list.failure ?? {};
    const details = {origin, baseUrl: href};
    throw new AppError('unavailable', `No response from ${origin}: ${text}`, {reason, details});
  }
  if (!responses.every((one) => one.isRefusedKey)) return;
  const reason =
    session.options.client.apiKey === undefined ? 'api-key-missing' : 'api-key-rejected';
  const message = `${origin} refuses the API key, so nothing can be checked.`;
  throw new AppError('auth', message, {reason, status: responses[0]?.response?.status});
}

/**
 * Runs checks one after the other, and yields the finding of each.
 *
 * @throws ClientError when the service accepts no connection any more; the reason of the signal when it aborts
 */
export async function* runChecks(
  session: Session,
  checks: readonly Check[],
  options: RunOptions,
): AsyncGenerator<Finding, void, undefined> {
  const unanswered = new Set<Operation>();
  const turnOf = ({turn = 'first'}: Check) => turns[turn];
  for (const check of checks.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    options.signal?.throwIfAborted();
    options.onCheck?.(check);
    const result = await carryOut(session, check, options);
    const evaluated = result.status === 'error' ? result : evaluate(result, unanswered);
    yield toFinding(session, check, evaluated, options);
  }
}

type Result = Omit<CheckOutcome, 'status'> & {readonly status: FindingStatus};

async function carryOut(session: Session, check: Check, options: RunOptions) {
  const {mayWrite, secondKey, revokedKey} = session.options;
  const met = {writes: mayWrite, 'second-key': secondKey, 'revoked-key': revokedKey};
  const missing = check.needs?.find((need) => !met[need]);
  if (missing !== undefined) return skip(options.missing[missing]);
  try {
    return await check.run(session);
  } catch (error) {
    const isGone = error instanceof ClientError && error.kind === 'unavailable';
    if (isGone || options.signal?.aborted) throw error;
    if (error instanceof Inconclusive) return skip(error.message, error.exchange);
    // A service may claim to have a virtual clock, and refuse to move it.
    if (error instanceof AppError) return skip(error.message);
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return {status: 'error', observed: `the check itself failed: ${message}`} as const;
  }
}

/**
 * Adjusts an outcome to its exchange: a rate limit proves nothing, and a request without a response is a fault.
 *
 * @param unanswered the operations of which even the correct request got no response
 */
function evaluate(outcome: CheckOutcome, unanswered: Set<Operation>): CheckOutcome {
  const {status, observed, exchange} = outcome;
  if (exchange === undefined) return outcome;
  const {status: code = 0, headers: {location} = {}} = exchange.response ?? {};
  if (location !== undefined && code > 299 && code < 400)
    return {...outcome, observed: `${observed}; it redirects to ${location}`};
  if (exchange.isRateLimited && status !== 'info')
    return skip('the service limits the rate of requests: 429', exchange);
  if (!exchange.isUnanswered || status === 'info' || status === 'pass') return outcome;
  const {operation} = exchange.call;
  if (status === 'fail') unanswered.add(operation);
  return unanswered.has(operation) ? outcome : fail(exchange.description, exchange);
}

/** The status of a finding: an open point is never evaluated, and a failed should may be a warning. */
function statusOf(level: Level, result: FindingStatus, {strict}: RunOptions): FindingStatus {
  if (level === 'open' && (result === 'pass' || result === 'fail')) return 'info';
  return result === 'fail' && level === 'should' && !strict ? 'warn' : result;
}

function toFinding(session: Session, check: Check, result: Result, options: RunOptions): Finding {
  const {id, level, title, source, reference} = check;
  const {status, observed, exchange} = result;
  const text = session.secrets.redact(observed === '' ? title : observed).replace(/\s+/g, ' ');
  // Cut only after redaction, which does not recognize a part of a secret.
  const message = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
  return {
    id,
    subject: title,
    status: statusOf(level, status, options),
    message,
    details: {
      level,
      source,
      // Null without a verdict: the check was skipped, could not run, or only observes.
      holds: status === 'pass' || (status === 'fail' ? false : null),
      reference,
      curl: exchange === undefined ? null : curlCommand(exchange, session.secrets),
    },
  };
}

/** The request of an exchange as a line for a shell, with the secrets as variables. */
function curlCommand({call}: Exchange, secrets: Secrets): string {
  const {method, url, headers, body} = call;
  const shown = Object.entries(headers).filter(
    ([name]) => !['accept', 'accept-encoding', 'user-agent'].includes(name),
  );
  const word = (text: string) => secrets.shellWord(text);
  // A body that is too long to paste repeats one letter.
  const isLong = body !== undefined && /^(\w)\1{1000,}$/.test(body);
  const parts = [
    'curl -i',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...shown.map(([name, value]) => `-H ${word(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [isLong ? '--data-binary @-' : `-d ${word(body)}`]),
    word(url.href),
  ];
  const made = isLong ? `head -c ${body.length} /dev/zero | tr '\\0' ${body[0]} | ` : '';
  return secrets.redact(made + parts.join(' '));
}

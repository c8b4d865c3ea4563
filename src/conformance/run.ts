import type {NetworkFailure} from '../client/errors/network.js';
import {ClientError} from '../client/messages.js';
import type {Finding, FindingStatus} from '../domain/check/findings.js';
import {describe, type Exchange, isRateLimited, isRefusedKey, isUnanswered} from './exchange.js';
import {type Check, type Level, turns} from './model.js';
import {type CheckOutcome, fail, Inconclusive, type Need, skip} from './outcome.js';
import type {Secrets} from './secrets.js';
import type {Session} from './session.js';

/** Maximum characters of an observation; a service may send names of any length. */
const longestMessage = 300;

/** Options for running and evaluating checks. */
interface RunOptions {
  /** Whether a `should` that does not hold is a failure, rather than a warning. */
  readonly strict: boolean;
  /** The reason to skip a check, by its requirement that the run does not meet. */
  readonly missing: Readonly<Record<Need, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onCheck?: ((check: Check) => void) | undefined;
}

/** Whether the service can be tested at all, by its first responses. */
type Reachability =
  | {readonly kind: 'reached'}
  | {readonly kind: 'refused'; readonly exchange: Exchange}
  | {readonly kind: 'limited'}
  | {readonly kind: 'silent'; readonly failure: NetworkFailure};

/** Reads the list, and an unknown connector if the list is refused. @throws ClientError without a connection */
export async function reach(session: Session): Promise<Reachability> {
  const {exchange: list} = await session.listing();
  if (isRateLimited(list)) return {kind: 'limited'};
  if (list.response !== undefined && !isRefusedKey(list)) return {kind: 'reached'};
  const get = await session.unknownId();
  if (list.failure && !list.response && !get.response)
    return {kind: 'silent', failure: list.failure};
  const isRefused = [list, get].every((one) => one.response === undefined || isRefusedKey(one));
  return isRefused ? {kind: 'refused', exchange: list.response ? list : get} : {kind: 'reached'};
}

/**
 * Runs checks one after the other, and yields the finding of each.
 *
 * @throws ClientError when the service accepts no connection any more
 */
export async function* runChecks(
  session: Session,
  checks: readonly Check[],
  options: RunOptions,
): AsyncGenerator<Finding, void, undefined> {
  const turnOf = ({turn = 'first'}: Check) => turns[turn];
  for (const check of checks.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    options.signal?.throwIfAborted();
    options.onCheck?.(check);
    yield toFinding(session, check, await carryOut(session, check, options), options);
  }
}

type Result = Omit<CheckOutcome, 'status'> & {readonly status: FindingStatus};

async function carryOut(session: Session, check: Check, options: RunOptions): Promise<Result> {
  const missing = check.needs?.find((need) => !session.has(need));
  if (missing !== undefined) return {status: 'skip', observed: options.missing[missing]};
  try {
    return evaluated(await check.run(session), session);
  } catch (error) {
    if (error instanceof ClientError || options.signal?.aborted) throw error;
    if (error instanceof Inconclusive)
      return evaluated(skip(error.message, error.exchange), session);
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return {status: 'error', observed: `the check itself failed: ${message}`};
  }
}

/** The outcome by its exchange: a rate limit proves nothing, and a request without a response is a fault. */
function evaluated(outcome: CheckOutcome, {unanswered}: Session): CheckOutcome {
  const {status, observed, exchange} = outcome;
  if (exchange === undefined) return outcome;
  const {status: code = 0, headers: {location} = {}} = exchange.response ?? {};
  if (location !== undefined && code > 299 && code < 400)
    return {...outcome, observed: `${observed}; it redirects to ${location}`};
  if (isRateLimited(exchange) && status !== 'info')
    return skip('the service limits the rate of requests: 429', exchange);
  if (!isUnanswered(exchange) || status === 'info' || status === 'pass') return outcome;
  const {operation} = exchange.call;
  if (status === 'fail') unanswered.add(operation);
  return unanswered.has(operation) ? outcome : fail(describe(exchange), exchange);
}

/** The status of a finding: an open point is never evaluated, and a failed should may be a warning. */
function statusOf(level: Level, result: FindingStatus, {strict}: RunOptions): FindingStatus {
  const isEvaluated = level === 'must' || level === 'should';
  if (!isEvaluated && (result === 'pass' || result === 'fail')) return 'info';
  return result === 'fail' && level === 'should' && !strict ? 'warn' : result;
}

function toFinding(session: Session, check: Check, result: Result, options: RunOptions): Finding {
  const {id, level, title, source, reference} = check;
  const observed = result.observed === '' ? title : result.observed;
  const text = session.secrets.redact(observed).replace(/\s+/g, ' ');
  // Cut only after redaction, which does not recognize a part of a secret.
  const message = text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
  return {
    id,
    subject: title,
    status: statusOf(level, result.status, options),
    message,
    details: {
      level,
      source,
      // Null without a verdict: the check was skipped, could not run, or only observes.
      holds: result.status === 'pass' || (result.status === 'fail' ? false : null),
      reference,
      curl: result.exchange === undefined ? null : curlCommand(result.exchange, session.secrets),
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
  // A body that is too long to paste ends with one letter, many times.
  const long = /^(.*?)(\w)(\2{1000,})$/s.exec(body ?? '');
  const parts = [
    `curl -i${method === 'HEAD' ? 'I' : ''}`,
    ...(method === 'GET' || method === 'HEAD' ? [] : [`-X ${method}`]),
    ...shown.map(([name, value]) => `-H ${word(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [long === null ? `-d ${word(body)}` : '--data-binary @-']),
    word(url.href),
  ];
  const [, start = '', letter, rest = ''] = long ?? [];
  const made = `{ printf %s ${word(start)}; head -c ${rest.length + 1} /dev/zero | tr '\\0' ${letter}; } | `;
  return secrets.redact((long === null ? '' : made) + parts.join(' '));
}

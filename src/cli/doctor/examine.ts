import {plainUrl} from '../../client/context.js';
import {meaningOf} from '../../client/errors/network-codes.js';
import {proxyFor} from '../../client/proxy.js';
import {isLoopback, readBaseUrl} from '../../client/settings.js';
import {endpoints} from '../../contract/endpoints.js';
import {day} from '../../domain/time.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {CheckResultView} from '../../render/doctor.js';
import {duration} from '../../render/time.js';
import {errorCode} from '../../system/error-codes.js';
import {hintFor, withHint} from '../errors/hints.js';
import {
  isAddress,
  type ProbeOptions,
  probeHttp,
  probeName,
  probeTcp,
  probeTls,
  type TlsProbe,
} from './probes.js';

/** The result of one step, with a hint when something is wrong. */
export interface CheckResult extends CheckResultView {
  /** The kind of failure, from which the exit code follows. */
  readonly kind?: ErrorKind | undefined;
}

/** What to examine. */
export interface Examined {
  readonly baseUrl: string;
  /** Milliseconds that each step may take. */
  readonly limit: number;
  /** Makes one request with the API key and returns the result as a phrase. */
  readonly tryKey: () => Promise<string>;
  /** Examines an activation token and returns the result as a phrase; undefined without a token. */
  readonly examineToken: (() => Promise<string>) | undefined;
}

/** Milliseconds. Stricter than `clockTolerance`, to find a wrong clock before it does harm. */
const toleratedSkew = 30_000;
/** A certificate that is valid for fewer days gets a warning. */
const fewDays = 14;

interface Step {
  readonly name: string;
  /** The target: the service, or the proxy on the way. */
  readonly to: URL;
  readonly take: () => Promise<readonly CheckResult[]>;
}

/** Examines the token, if any, then the way to the service step by step, up to the first step that fails. */
export async function* examine(examined: Examined): AsyncGenerator<CheckResult> {
  const {examineToken} = examined;
  if (examineToken !== undefined) yield await examineToken().then(okToken, refusedToken);
  const steps = await stepsTo(examined);
  if ('verdict' in steps) {
    yield steps;
    return;
  }
  for (const {name, to, take} of steps) {
    const findings = await take().catch((error) => [failure(name, error, to, examined.limit)]);
    yield* findings;
    if (findings.some((finding) => finding.name === name && finding.verdict === 'fail')) return;
  }
}

/** The steps, or the error in the settings. */
async function stepsTo({
  baseUrl,
  limit,
  tryKey,
  examineToken,
}: Examined): Promise<readonly Step[] | CheckResult> {
  try {
    const url = readBaseUrl(baseUrl);
    const route = await proxyFor(url, limit);
    const options = {limit, route};
    // With a proxy, DNS and TCP go to the proxy.
    const hop = route ? new URL(route.address) : url;
    const proxy = async () => [ok('proxy', `${hop.origin}, from the environment`)];
    const steps: readonly (Step | false)[] = [
      examineToken !== undefined && {
        name: 'sent to',
        to: url,
        take: async () => [destination(url)],
      },
      hop !== url && {name: 'proxy', to: hop, take: proxy},
      !isAddress(hop) && {name: 'DNS', to: hop, take: () => examineName(hop, options)},
      {name: 'TCP', to: hop, take: () => examineTcp(hop, options)},
      url.protocol === 'https:' && {name: 'TLS', to: url, take: () => examineTls(url, options)},
      {name: 'HTTP', to: url, take: () => examineHttp(url, options)},
      {name: 'key', to: url, take: async () => [ok('key', await tryKey())]},
    ];
    return steps.filter((step) => step !== false);
  } catch (error) {
    if (error instanceof AppError) return refused('base URL', error);
    throw error;
  }
}

const okToken = (detail: string) => ok('token', detail);

function refusedToken(error: unknown): CheckResult {
  if (error instanceof AppError) return refused('token', error);
  throw error;
}

/** Where `connector activate` would send the token. */
function destination(base: URL): CheckResult {
  const {method, path} = endpoints.activate;
  const detail = `connector activate would send it: ${method} ${base.href.replace(/\/$/, '')}${path}`;
  if (base.protocol === 'https:' || isLoopback(base)) return ok('sent to', detail);
  const hint =
    'Use https:// if the service supports it: anyone on the network could read the token.';
  return warning('sent to', detail, hint);
}

async function examineName(url: URL, options: ProbeOptions): Promise<readonly CheckResult[]> {
  const addresses = await probeName(url, options);
  return [ok('DNS', `${url.hostname} is ${addresses.join(', ')}`)];
}

async function examineTcp(url: URL, options: ProbeOptions): Promise<readonly CheckResult[]> {
  return [ok('TCP', `${await probeTcp(url, options)} accepts connections`)];
}

async function examineTls(url: URL, options: ProbeOptions): Promise<readonly CheckResult[]> {
  const finding = await probeTls(url, options);
  if (finding.certificateError !== undefined)
    return [untrusted(url, finding, finding.certificateError)];
  const days = Math.floor((finding.validTo.getTime() - Date.now()) / day);
  const detail = `${finding.protocol}, certificate valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  if (days >= fewDays) return [ok('TLS', detail)];
  return [warning('TLS', detail, 'Renew it soon.')];
}

function untrusted(url: URL, {validTo, names}: TlsProbe, code: string): CheckResult {
  const {message, reason} = meaningOf(undefined, code);
  const until = Number.isNaN(validTo.getTime()) ? '' : `, valid until ${validTo.toISOString()}`;
  return {
    name: 'TLS',
    verdict: 'fail',
    detail: `${message(url.origin)} (${code}); it is for ${names || 'no host'}${until}`,
    hint: hintFor({reason, details: {origin: url.origin, baseUrl: url.href}}),
    kind: 'unavailable',
  };
}

async function examineHttp(url: URL, options: ProbeOptions): Promise<readonly CheckResult[]> {
  const {version, status, location, skew, isSandbox} = await probeHttp(url, options);
  const spoken = `the service speaks HTTP/${version}`;
  const http = httpResult(url, spoken, status < 400 ? location : undefined);
  return isSandbox ? [http, sandboxResult(skew)] : [http, clockResult(skew)];
}

function httpResult(url: URL, spoken: string, location: string | undefined): CheckResult {
  if (location !== undefined && URL.canParse(location, url.href)) {
    const detail = `${spoken}, and redirects to ${plainUrl(new URL(location, url))}`;
    return warning('HTTP', detail, 'If that is the service, use it as the base URL.');
  }
  if (url.protocol === 'https:' || isLoopback(url)) return ok('HTTP', spoken);
  const detail = `${spoken}, and the API key is sent unencrypted`;
  return warning('HTTP', detail, 'Use https:// if the service supports it.');
}

/** The clock of a sandbox is virtual, and so never wrong. */
function sandboxResult(skew = 0): CheckResult {
  const distance = Math.abs(skew);
  const difference =
    distance < 1500
      ? 'that of this machine'
      : `${duration(distance, Math.round)} ${skew > 0 ? 'behind' : 'ahead of'} this machine's`;
  const detail = `this is a sandbox; its virtual clock is ${difference}`;
  const hint = 'Its connectors are not real. For the real service, set another --base-url.';
  return warning('sandbox', detail, hint);
}

function clockResult(skew: number | undefined): CheckResult {
  if (skew === undefined) return ok('clock', 'the service sends no time');
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedSkew) return ok('clock', `within ${seconds}s of the service`);
  return {
    name: 'clock',
    verdict: 'fail',
    detail: `this machine is ${seconds}s ${skew > 0 ? 'ahead of' : 'behind'} the service`,
    hint: 'Correct the wrong clock (NTP); otherwise tokens expire early or late.',
    kind: 'usage',
  };
}

function ok(name: string, detail: string): CheckResult {
  return {name, verdict: 'ok', detail};
}

function warning(name: string, detail: string, hint: string): CheckResult {
  return {name, verdict: 'warn', detail, hint};
}

function refused(name: string, error: AppError): CheckResult {
  const {message: detail, hint, kind} = withHint(error);
  return {name, verdict: 'fail', detail, hint, kind};
}

/** The result of a step that threw, in the words of the client's errors. */
function failure(name: string, error: unknown, url: URL, limit: number): CheckResult {
  if (error instanceof AppError) return refused(name, error);
  if (error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name)) {
    return {
      name,
      verdict: 'fail',
      detail: `timed out after ${limit / 1000}s`,
      hint: 'Check for a firewall, or allow more time with --timeout.',
      kind: 'unavailable',
    };
  }
  const code = errorCode(error);
  const {message, reason, kind = 'unavailable'} = meaningOf(error, code);
  return {
    name,
    verdict: 'fail',
    detail: `${message(url.origin)}${code === undefined ? '' : ` (${code})`}`,
    hint: hintFor({reason, details: {origin: url.origin, baseUrl: url.href}}),
    kind,
  };
}

import {isIP} from 'node:net';
import {plainUrl} from '../../client/context.js';
import {meaningOf} from '../../client/errors/network-codes.js';
import {type ProxyRoute, proxyFor} from '../../client/proxy.js';
import {isLoopback, readBaseUrl} from '../../client/settings.js';
import {endpoints} from '../../contract/endpoints.js';
import {day} from '../../domain/time.js';
import {AppError, type ErrorKind} from '../../errors.js';
import type {Palette} from '../../render/palette.js';
import {renderStep, type Step, type StepFinding} from '../../render/report/steps.js';
import {duration} from '../../render/time.js';
import {errorCode} from '../../system/error-codes.js';
import {hintFor, withHint} from '../errors/hints.js';
import {createStatusLine} from '../terminal/status-line.js';
import {type Handshake, Probe} from './probe.js';

/** What to examine. */
interface Examined {
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

/** A finding without its subject, which is always the base URL. */
type Result = Omit<StepFinding, 'subject'>;

interface PlannedStep {
  readonly id: Step;
  readonly take: () => Promise<readonly Result[]>;
}

/** Examines, and shows each step as soon as it is known. */
export async function examineService(
  examined: Examined,
  palette: Palette,
  print: (text: string) => Promise<void>,
): Promise<readonly StepFinding[]> {
  const steps: StepFinding[] = [];
  const endLine = createStatusLine()?.begin(() => `Testing ${examined.baseUrl} …`);
  for await (const result of examine(examined)) {
    const step = {...result, subject: examined.baseUrl};
    steps.push(step);
    await print(renderStep(step, palette));
  }
  endLine?.();
  return steps;
}

/** Examines the token, if any, then the way to the service step by step, up to the first step that fails. */
async function* examine({baseUrl, limit, tryKey, examineToken}: Examined): AsyncGenerator<Result> {
  if (examineToken !== undefined) yield await examineToken().then(okToken, refusedToken);
  let url: URL;
  let proxy: ProxyRoute | undefined;
  try {
    url = readBaseUrl(baseUrl);
    proxy = await proxyFor(url, limit);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield refused('base-url', error);
    return;
  }
  if (examineToken !== undefined) yield destination(url);
  const probe = new Probe(url, {limit, route: proxy});
  try {
    for (const {id, take} of planned(url, probe, {proxy, tryKey})) {
      const found = await take().catch((error) => [failure(id, error, {url, proxy, limit})]);
      yield* found;
      if (found.some((result) => result.id === id && result.status === 'fail')) return;
    }
  } finally {
    probe.close();
  }
}

/** The steps to a service. DNS and TCP of a proxy are parts of its tunnel. */
function planned(
  url: URL,
  probe: Probe,
  {proxy, tryKey}: {proxy: ProxyRoute | undefined; tryKey: Examined['tryKey']},
): readonly PlannedStep[] {
  const isDirect = proxy === undefined;
  const hasName = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
  const steps: readonly (PlannedStep | false)[] = [
    !isDirect && {id: 'proxy', take: () => examineProxy(proxy, probe)},
    isDirect && hasName && {id: 'dns', take: () => examineName(url, probe)},
    isDirect && {id: 'tcp', take: () => examineTcp(url, probe)},
    url.protocol === 'https:' && {id: 'tls', take: () => examineTls(url, probe)},
    {id: 'http', take: () => examineHttp(url, probe)},
    {id: 'key', take: async () => [ok('key', await tryKey())]},
  ];
  return steps.filter((step) => step !== false);
}

const okToken = (detail: string) => ok('token', detail);

function refusedToken(error: unknown): Result {
  if (error instanceof AppError) return refused('token', error);
  throw error;
}

/** Where `connector activate` would send the token. */
function destination(base: URL): Result {
  const {method, path} = endpoints.activate;
  const detail = `connector activate would send it: ${method} ${base.href.replace(/\/$/, '')}${path}`;
  if (base.protocol === 'https:' || isLoopback(base)) return ok('sent-to', detail);
  const hint =
    'Use https:// if the service supports it: anyone on the network could read the token.';
  return warning('sent-to', detail, hint);
}

async function examineProxy({address}: ProxyRoute, probe: Probe): Promise<readonly Result[]> {
  await probe.tunnel();
  return [ok('proxy', `${new URL(address).origin}, from the environment`)];
}

async function examineName({hostname}: URL, probe: Probe): Promise<readonly Result[]> {
  const addresses = await probe.lookup();
  return [ok('dns', `${hostname} is ${addresses.join(', ')}`)];
}

async function examineTcp({protocol, port}: URL, probe: Probe): Promise<readonly Result[]> {
  const address = await probe.connection();
  const known = port || (protocol === 'https:' ? '443' : '80');
  return [ok('tcp', `${address}, port ${known} accepts connections`)];
}

async function examineTls(url: URL, probe: Probe): Promise<readonly Result[]> {
  const handshake = await probe.handshake();
  const {certificateError, protocol, validTo} = handshake;
  if (certificateError !== undefined) return [untrusted(url, handshake, certificateError)];
  const days = Math.floor((validTo.getTime() - Date.now()) / day);
  const message = `${protocol}, certificate valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  if (days >= fewDays) return [ok('tls', message)];
  return [warning('tls', message, 'Renew it soon.')];
}

function untrusted(url: URL, {validTo, names}: Handshake, code: string): Result {
  const {message, reason} = meaningOf(undefined, code);
  const until = Number.isNaN(validTo.getTime()) ? '' : `, valid until ${validTo.toISOString()}`;
  return failed(
    'tls',
    `${message(url.origin)} (${code}); it is for ${names || 'no host'}${until}`,
    {
      hint: hintFor({reason, details: {origin: url.origin, baseUrl: url.href}}),
      kind: 'unavailable',
    },
  );
}

async function examineHttp(url: URL, probe: Probe): Promise<readonly Result[]> {
  const {version, status, location, skew, isSandbox} = await probe.response();
  const spoken = `the service speaks HTTP/${version}`;
  const http = httpResult(url, spoken, status < 400 ? location : undefined);
  return isSandbox ? [http, sandboxResult(skew)] : [http, clockResult(skew)];
}

function httpResult(url: URL, spoken: string, location: string | undefined): Result {
  if (location !== undefined && URL.canParse(location, url.href)) {
    const detail = `${spoken}, and redirects to ${plainUrl(new URL(location, url))}`;
    return warning('http', detail, 'If that is the service, use it as the base URL.');
  }
  if (url.protocol === 'https:' || isLoopback(url)) return ok('http', spoken);
  const detail = `${spoken}, and the API key is sent unencrypted`;
  return warning('http', detail, 'Use https:// if the service supports it.');
}

/** The clock of a sandbox is virtual, and so never wrong. */
function sandboxResult(skew = 0): Result {
  const distance = Math.abs(skew);
  const difference =
    distance < 1500
      ? 'that of this machine'
      : `${duration(distance, Math.round)} ${skew > 0 ? 'behind' : 'ahead of'} this machine's`;
  const detail = `this is a sandbox; its virtual clock is ${difference}`;
  const hint = 'Its connectors are not real. For the real service, set another --base-url.';
  return warning('sandbox', detail, hint);
}

function clockResult(skew: number | undefined): Result {
  if (skew === undefined) return ok('clock', 'the service sends no time');
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedSkew) return ok('clock', `within ${seconds}s of the service`);
  const message = `this machine is ${seconds}s ${skew > 0 ? 'ahead of' : 'behind'} the service`;
  return failed('clock', message, {
    hint: 'Correct the wrong clock (NTP); otherwise tokens expire early or late.',
    kind: 'usage',
  });
}

function ok(id: Step, message: string): Result {
  return {id, status: 'pass', message};
}

function warning(id: Step, message: string, hint: string): Result {
  return {id, status: 'warn', message, details: {hint}};
}

/** @param problem its kind, from which the exit code follows, and what to do */
function failed(
  id: Step,
  message: string,
  {hint, kind}: {readonly hint?: string | undefined; readonly kind: ErrorKind},
): Result {
  return {id, status: 'fail', message, details: {error: kind, ...(hint !== undefined && {hint})}};
}

function refused(id: Step, error: AppError): Result {
  const {message, ...problem} = withHint(error);
  return failed(id, message, problem);
}

/** Where a step failed: on the way to the service, perhaps through a proxy. */
interface Place {
  readonly url: URL;
  readonly proxy: ProxyRoute | undefined;
  readonly limit: number;
}

/** The result of a step that threw, in the words of the client's errors. */
function failure(id: Step, error: unknown, {url, proxy, limit}: Place): Result {
  if (error instanceof AppError) return refused(id, error);
  const code = errorCode(error);
  const meaning = meaningOf(error, code);
  const suffix = code === undefined ? '' : ` (${code})`;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  // A proxy that refuses the tunnel was reached.
  if (id === 'proxy' && proxy !== undefined && meaning.reason !== 'proxy-refused') {
    const name = `the proxy ${new URL(proxy.address).origin}`;
    const message = isTimeout
      ? `no tunnel through ${name} within ${limit / 1000}s`
      : `${meaning.message(name)}${suffix}`;
    const hint = `Check ${proxy.variable}, or set NO_PROXY to ${url.hostname}.`;
    return failed(id, message, {hint, kind: 'unavailable'});
  }
  if (isTimeout) {
    return failed(id, `timed out after ${limit / 1000}s`, {
      hint: 'Check for a firewall, or allow more time with --timeout.',
      kind: 'unavailable',
    });
  }
  const {message, reason, kind = 'unavailable'} = meaning;
  const details = {
    origin: url.origin,
    baseUrl: url.href,
    ...(proxy && {proxy: proxy.address, proxyVariable: proxy.variable}),
  };
  return failed(id, `${message(url.origin)}${suffix}`, {hint: hintFor({reason, details}), kind});
}

import {meaningOf} from '../../client/errors/network-codes.js';
import {proxyFor} from '../../client/proxy.js';
import {isLoopback, readBaseUrl} from '../../client/settings.js';
import {day} from '../../domain/time.js';
import {AppError, type ErrorKind} from '../../errors.js';
import {errorCode} from '../../node-errors.js';
import type {FindingView} from '../../render/doctor.js';
import {hintFor, withHint} from '../errors/hints.js';
import {
  isAddress,
  type ProbeOptions,
  probeHttp,
  probeName,
  probeTcp,
  probeTls,
  type TlsFinding,
} from './probes.js';

/** One step of the examination: well, or what is wrong and how to mend it. */
export interface Finding extends FindingView {
  /** The kind of failure, from which the exit code follows. */
  readonly kind?: ErrorKind | undefined;
}

/** What is examined. */
export interface Examined {
  readonly baseUrl: string;
  /** Milliseconds that each step may take. */
  readonly limit: number;
  /** Makes one request with the API key and says what became of it. */
  readonly tryKey: () => Promise<string>;
}

/** Stricter than `clockTolerance`: doctor is to find a wrong clock before it does harm. Milliseconds. */
const toleratedSkew = 30_000;
/** A certificate with fewer days than this is worth a warning. */
const fewDays = 14;

interface Step {
  readonly name: string;
  /** What it goes to: the service, or the proxy on the way. */
  readonly to: URL;
  readonly take: () => Promise<readonly Finding[]>;
}

/** Examines the way to the service step by step; it ends where a step cannot be taken. */
export async function* examine(examined: Examined): AsyncGenerator<Finding> {
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

/** The steps, or what is wrong with the settings that name the way. */
async function stepsTo({baseUrl, limit, tryKey}: Examined): Promise<readonly Step[] | Finding> {
  try {
    const url = readBaseUrl(baseUrl);
    const route = await proxyFor(url, limit);
    const options = {limit, route};
    // With a proxy, it is the proxy that is looked up and connected to.
    const hop = route ? new URL(route.address) : url;
    const proxy = async () => [ok('proxy', `${hop.origin}, named by the environment`)];
    const steps: readonly (Step | false)[] = [
      hop !== url && {name: 'proxy', to: hop, take: proxy},
      !isAddress(hop) && {name: 'name', to: hop, take: () => examineName(hop, options)},
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

async function examineName(url: URL, options: ProbeOptions): Promise<readonly Finding[]> {
  const addresses = await probeName(url, options);
  return [ok('name', `${url.hostname} is ${addresses.join(', ')}`)];
}

async function examineTcp(url: URL, options: ProbeOptions): Promise<readonly Finding[]> {
  return [ok('TCP', `${await probeTcp(url, options)} accepts connections`)];
}

async function examineTls(url: URL, options: ProbeOptions): Promise<readonly Finding[]> {
  const finding = await probeTls(url, options);
  if (finding.fault !== undefined) return [untrusted(url, finding, finding.fault)];
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return [
      {
        name: 'TLS',
        verdict: 'warn',
        detail: 'certificates are not checked: NODE_TLS_REJECT_UNAUTHORIZED is 0',
        hint: 'Unset it: anybody on the way could read the API key.',
      },
    ];
  }
  const days = Math.floor((finding.validTo.getTime() - Date.now()) / day);
  const detail = `${finding.protocol}, certificate valid for ${days} more ${days === 1 ? 'day' : 'days'}`;
  if (days >= fewDays) return [ok('TLS', detail)];
  return [{name: 'TLS', verdict: 'warn', detail, hint: 'Have it renewed soon.'}];
}

function untrusted(url: URL, {validTo, names}: TlsFinding, code: string): Finding {
  const {message, reason} = meaningOf(undefined, code);
  const until = Number.isNaN(validTo.getTime()) ? '' : `, valid until ${validTo.toISOString()}`;
  return {
    name: 'TLS',
    verdict: 'fail',
    detail: `${message(url.origin)} (${code}); it is for ${names || 'nobody'}${until}`,
    hint: hintFor({reason, details: {origin: url.origin, baseUrl: url.href}}),
    kind: 'unavailable',
  };
}

async function examineHttp(url: URL, options: ProbeOptions): Promise<readonly Finding[]> {
  const {version, status, location, skew} = await probeHttp(url, options);
  const spoken = `HTTP/${version} is spoken`;
  return [httpFinding(url, spoken, status < 400 ? location : undefined), clockFinding(skew)];
}

function httpFinding(url: URL, spoken: string, location: string | undefined): Finding {
  if (location !== undefined && URL.canParse(location, url.href)) {
    const {origin, pathname} = new URL(location, url);
    return {
      name: 'HTTP',
      verdict: 'warn',
      detail: `${spoken}, and redirected to ${origin}${pathname}`,
      hint: 'If that is the service, make it the base URL.',
    };
  }
  if (url.protocol === 'https:' || isLoopback(url)) return ok('HTTP', spoken);
  return {
    name: 'HTTP',
    verdict: 'warn',
    detail: `${spoken}, and the API key goes unencrypted`,
    hint: 'Use https:// if the service has it.',
  };
}

function clockFinding(skew: number | undefined): Finding {
  if (skew === undefined) return ok('clock', 'the service does not tell its time');
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedSkew)
    return ok('clock', `that of the service, within ${seconds}s`);
  return {
    name: 'clock',
    verdict: 'fail',
    detail: `this machine's is ${seconds}s ${skew > 0 ? 'ahead of' : 'behind'} the service's`,
    hint: 'Set the one that is wrong (NTP): tokens expire early or late otherwise.',
    kind: 'usage',
  };
}

function ok(name: string, detail: string): Finding {
  return {name, verdict: 'ok', detail};
}

function refused(name: string, error: AppError): Finding {
  const {message: detail, hint, kind} = withHint(error);
  return {name, verdict: 'fail', detail, hint, kind};
}

/** What a step that could not be taken comes to, in the words of the client's own errors. */
function failure(name: string, error: unknown, url: URL, limit: number): Finding {
  if (error instanceof AppError) return refused(name, error);
  if (error instanceof Error && /^(Timeout|Abort)Error$/.test(error.name)) {
    return {
      name,
      verdict: 'fail',
      detail: `nothing came of it within ${limit / 1000}s`,
      hint: 'Is a firewall in the way? Allow more time with --timeout.',
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

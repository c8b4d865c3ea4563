import {lookup} from 'node:dns/promises';
import {once} from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import {AppError, type ErrorKind} from '../errors.js';
import {type ApiKeySource, clientOptions, type ServiceSettings} from './settings.js';

/** One line of the examination: ok, or what is wrong and how to mend it. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string | undefined;
  /** The kind of failure, from which the exit code follows. */
  readonly kind?: ErrorKind | undefined;
}

/** A clock that is off by more than this makes tokens expire early or late. */
const toleratedSkew = 30_000;
const dayMs = 24 * 60 * 60 * 1000;
/** A certificate with fewer days than this is worth a warning. */
const fewDays = 14;

/** Each setting with where it came from; the API key by its source alone. */
export function describeSettings(settings: ServiceSettings, settingsFile: string): Finding[] {
  const {profile, baseUrl, apiKey, authHeader, timeout, retries} = settings;
  const key = describeKey(apiKey.value);
  const rows: [string, string, string][] = [
    ['profile', profile.value ?? 'none', profile.value ? profile.origin : settingsFile],
    ['base URL', baseUrl.value, baseUrl.origin],
    ['API key', key, apiKey.origin],
    ['auth header', authHeader.value, authHeader.origin],
    ['time limit', `${timeout.value} ms`, timeout.origin],
    ['retries', `${retries.value}`, retries.origin],
  ];
  return rows.map(([check, value, origin]) => ({check, ok: true, detail: `${value} (${origin})`}));
}

function describeKey(source: ApiKeySource | undefined): string {
  if (source === undefined) return 'none';
  if ('text' in source) return 'in a credentials file';
  return 'file' in source ? `in ${source.file}` : `in ${source.variable}`;
}

/** Examines the path to the service step by step; each step needs the one before. */
export async function* examineService(settings: ServiceSettings): AsyncGenerator<Finding> {
  const url = new URL(settings.baseUrl.value);
  const limit = settings.timeout.value;
  const steps = [
    () => checkName(url),
    () => checkTcp(url, limit),
    ...(url.protocol === 'https:' ? [() => checkTls(url, limit)] : []),
    () => checkHttp(url, limit),
    () => checkKey(settings),
  ];
  for (const step of steps) {
    const findings = await step();
    yield* findings;
    if (findings.some(({ok, kind}) => !ok && kind === 'unavailable')) return;
  }
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');
const portOf = (url: URL) => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

async function checkName(url: URL): Promise<Finding[]> {
  try {
    const addresses = await lookup(hostOf(url), {all: true});
    return [{check: 'name', ok: true, detail: addresses.map(({address}) => address).join(', ')}];
  } catch (error) {
    return [failed('name', error, 'Check the host name in the base URL, and your DNS.')];
  }
}

async function checkTcp(url: URL, limit: number): Promise<Finding[]> {
  const target = `${url.hostname}:${portOf(url)}`;
  const socket = net.connect({host: hostOf(url), port: portOf(url)});
  try {
    await once(socket, 'connect', {signal: AbortSignal.timeout(limit)});
    return [{check: 'TCP', ok: true, detail: `${target} accepts connections`}];
  } catch (error) {
    return [failed('TCP', error, `Is the service running at ${target}? Is a firewall in the way?`)];
  } finally {
    socket.destroy();
  }
}

async function checkTls(url: URL, limit: number): Promise<Finding[]> {
  const host = hostOf(url);
  const socket = tls.connect({
    host,
    port: portOf(url),
    ...(net.isIP(host) ? {} : {servername: host}),
  });
  try {
    await once(socket, 'secureConnect', {signal: AbortSignal.timeout(limit)});
    const days = Math.floor(
      (Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / dayMs,
    );
    const detail = `${socket.getProtocol()}, certificate valid for ${days} more days`;
    return [{check: 'TLS', ok: true, detail: days < fewDays ? `${detail}: renew it soon` : detail}];
  } catch (error) {
    const hint =
      'Trust a private authority with NODE_EXTRA_CA_CERTS=FILE; mend the certificate otherwise.';
    return [failed('TLS', error, hint)];
  } finally {
    socket.destroy();
  }
}

/** Any answer will do: this asks whether HTTP is spoken, and what time it is over there. */
async function checkHttp(url: URL, limit: number): Promise<Finding[]> {
  const client = url.protocol === 'https:' ? https : http;
  const request = client.get(url, {signal: AbortSignal.timeout(limit)});
  try {
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    answer.resume();
    const detail = `HTTP/${answer.httpVersion} spoken`;
    return [{check: 'HTTP', ok: true, detail}, checkClock(answer.headers.date)];
  } catch (error) {
    return [failed('HTTP', error, 'Does the base URL name the right port and scheme?')];
  } finally {
    request.destroy();
  }
}

function checkClock(date: string | undefined): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return {check: 'clock', ok: true, detail: 'the service sends no Date'};
  const skew = Date.now() - theirs;
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= toleratedSkew) {
    return {check: 'clock', ok: true, detail: `agrees with the service's within ${seconds} s`};
  }
  return {
    check: 'clock',
    ok: false,
    detail: `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service`,
    hint: 'Set the clock (NTP): tokens seem to expire early or late otherwise.',
    kind: 'usage',
  };
}

async function checkKey(settings: ServiceSettings): Promise<Finding[]> {
  try {
    const {createClient} = await import('../client/create-client.js');
    const client = createClient(await clientOptions(settings));
    for await (const _connector of client.listConnectors()) break;
    return [{check: 'key', ok: true, detail: 'the service accepts it'}];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {message: detail, hint, kind} = error;
    return [{check: 'key', ok: false, detail, hint, kind}];
  }
}

function failed(check: string, error: unknown, hint: string): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  const detail =
    error instanceof Error && error.name === 'AbortError' ? 'no answer in time' : reason;
  return {check, ok: false, detail, hint, kind: 'unavailable'};
}

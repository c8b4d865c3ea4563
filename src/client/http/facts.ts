import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';
import {hasVirtualClock, headers as headerNames} from '../../contract/headers.js';
import {keyAccesses} from '../../contract/limits.js';
import type {ServiceResponse} from '../messages.js';
import type {ProxyRoute} from '../proxy.js';
import {readIsoTime} from '../times.js';
import type {ServiceFacts} from '../types.js';

/** The facts about the service at a base URL that a response shows, besides its status and its body. */
export function factsOf(
  {headers, serverTime, url, connection}: ServiceResponse,
  base: URL,
  proxy: ProxyRoute | undefined,
): ServiceFacts {
  const expiry = headers[headerNames.keyExpires] ?? headers[headerNames.tokenExpiration];
  const key = {
    access: keyAccesses.find((access) => access === headers[headerNames.keyAccess]),
    // Anything but a time is ignored.
    expiresAt: readIsoTime(expiry ?? null),
    createdAt: readIsoTime(headers[headerNames.keyCreated] ?? null),
  };
  return {
    hasVirtualClock: hasVirtualClock(headers),
    clockAhead: serverTime && serverTime.getTime() - Date.now(),
    key: url.origin === base.origin ? key : undefined,
    connection: connection && {...connection, proxy: proxy?.address},
  };
}

/** The other end of an open connection, and its certificate. */
export function connectionOf(socket: Socket): ServiceResponse['connection'] {
  const {remoteAddress = 'unknown', remotePort, remoteFamily} = socket;
  const host = remoteFamily === 'IPv6' ? `[${remoteAddress}]` : remoteAddress;
  const end =
    'getPeerCertificate' in socket
      ? new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      : undefined;
  return {address: `${host}:${remotePort}`, certificateEnd: end};
}

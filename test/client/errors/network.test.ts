import {expect} from 'chai';
import {failureOf} from '../../../src/client/errors/network.js';

/** The failures that no other attempt removes, by code or message. */
const lasting = {
  'CONNECT 401': 'proxy-authentication-required',
  'CONNECT 403': 'proxy-refused',
  'CONNECT 407': 'proxy-authentication-required',
  CERT_HAS_EXPIRED: 'certificate-expired',
  ENOTFOUND: 'host-unknown',
  ERR_INVALID_CHAR: 'idempotency-key-invalid',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not-tls',
  ERR_TOO_MANY_REDIRECTS: 'redirect-loop',
  HPE_INVALID_CONSTANT: 'not-http',
  Z_DATA_ERROR: 'body-corrupt',
};

/** Those that another attempt may remove. */
const passing = {
  'CONNECT 429': 'proxy-failed',
  'CONNECT 502': 'proxy-failed',
  EAI_AGAIN: 'host-unresolved',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-lost',
  ENETUNREACH: 'host-unreachable',
  ETIMEDOUT: 'host-unreachable',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_INVALID_EOF_STATE: 'connection-lost',
  TIMED_OUT: 'timed-out',
  UNKNOWN: 'connection-failed',
};

describe('a failure of the network', () => {
  for (const [reasons, isLasting] of [
    [lasting, true],
    [passing, false],
  ] as const) {
    for (const [code, reason] of Object.entries(reasons)) {
      it(`is ${isLasting ? 'lasting' : 'passing'} and ${reason} for ${code}`, () => {
        const error = Object.assign(new Error(), {code});
        const url = new URL('http://service.example');
        const received = {
          url,
          proxy: undefined,
          isConnected: false,
          isSent: false,
          response: undefined,
          error,
        };
        const failure = failureOf(received, url.host);
        expect(failure.reason).to.equal(reason);
        expect(failure.isLasting ?? false).to.equal(isLasting);
      });
    }
  }
});

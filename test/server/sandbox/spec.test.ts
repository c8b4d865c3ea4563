import {expect} from 'chai';
import {AppError} from '../../../src/errors.js';
import {parseFault} from '../../../src/server/sandbox/faults.js';

describe('the specification of a fault', () => {
  for (const [text, operation, effect] of [
    ['heartbeat:503', 'heartbeat', {kind: 'status', status: 503, retryAfter: undefined}],
    ['list:503,retry-after=1500ms@10%', 'list', {kind: 'status', status: 503, retryAfter: 2}],
    ['*:latency=1m30s@#3', '*', {kind: 'latency', milliseconds: 90_000}],
    ['create-token:reset@3x', 'createToken', {kind: 'reset'}],
    ['activate:drop-response@5m', 'activate', {kind: 'drop-response'}],
    ['get:truncate@100%', 'get', {kind: 'truncate'}],
    ['get:garbage@0.5%', 'get', {kind: 'garbage'}],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(parseFault(text)).to.deep.include({operation, effect});
    });
  }

  for (const [text, message] of [
    ['', /must begin with an operation \(create-token, .*, \*\) and a colon/],
    ['heartbeat', /must begin with an operation/],
    ['constructor:503', /must begin with an operation/],
    ['list:', /must have an effect/],
    ['list:199', /must have an effect/],
    ['list:503,retry-after=30', /must have an effect/],
    ['list:latency=2h', /1h at most/],
    ['list:503,retry-after=99999999999999999999999y', /3650d at most/],
    ['list:reset@', /must end with @ and a share/],
    ['list:reset@#0', /must end with @ and a share/],
    ['list:reset@101%', /must end with @ and a share/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseFault(text)).to.throw(AppError, message);
    });
  }
});

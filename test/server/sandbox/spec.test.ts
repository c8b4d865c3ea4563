import {expect} from 'chai';
import {FaultSpecError, parseFault} from '../../../src/server/sandbox/spec.js';

describe('the specification of a fault', () => {
  const always = {kind: 'always'};
  for (const [text, expected] of [
    [
      'heartbeat:503',
      {
        operation: 'heartbeat',
        effect: {kind: 'status', status: 503, retryAfter: undefined},
        when: always,
      },
    ],
    [
      'list:503,retry-after=1500ms@10%',
      {
        operation: 'list',
        effect: {kind: 'status', status: 503, retryAfter: 2},
        when: {kind: 'share', share: 0.1},
      },
    ],
    [
      '*:latency=1m30s@#3',
      {
        operation: '*',
        effect: {kind: 'latency', milliseconds: 90_000},
        when: {kind: 'only', count: 3},
      },
    ],
    [
      'create-token:reset@3x',
      {operation: 'createToken', effect: {kind: 'reset'}, when: {kind: 'first', count: 3}},
    ],
    [
      ' activate:drop-response@5m ',
      {
        operation: 'activate',
        effect: {kind: 'drop-response'},
        when: {kind: 'until', milliseconds: 300_000},
      },
    ],
    [
      'get:slow-body',
      {operation: 'get', effect: {kind: 'slow-body', milliseconds: 5000}, when: always},
    ],
    ['get:truncate', {operation: 'get', effect: {kind: 'truncate'}, when: always}],
    ['get:garbage', {operation: 'get', effect: {kind: 'garbage'}, when: always}],
    [
      'get:date=-1h',
      {operation: 'get', effect: {kind: 'date', milliseconds: -3_600_000}, when: always},
    ],
  ] as const) {
    it(`reads ${text.trim()}`, () => {
      expect(parseFault(text)).to.deep.equal(expected);
    });
  }

  for (const [text, message] of [
    ['', /must begin with an operation \(create-token, .*, \*\) and a colon/],
    ['heartbeat', /must begin with an operation/],
    ['beat:503', /must begin with an operation/],
    ['constructor:503', /must begin with an operation/],
    ['list:', /must have an effect/],
    ['list:200,', /allows only retry-after=DURATION/],
    ['list:199', /must have an effect/],
    ['list:600', /must have an effect/],
    ['list:503,retry-after=30', /allows only retry-after=DURATION/],
    ['list:latency', /must have the form latency=DURATION/],
    ['list:latency=2h', /with 1h at most/],
    ['list:latency=0s', /must have the form latency=DURATION/],
    ['list:reset=1s', /must have an effect/],
    ['list:date=5m', /must have the form date=\+DURATION or date=-DURATION/],
    ['list:date=+300000y', /with 3650d at most/],
    ['list:date=-3651d', /with 3650d at most/],
    ['list:503,retry-after=99999999999999999999999y', /with 3650d at most/],
    ['list:reset@', /must end with @ and a share/],
    ['list:reset@0x', /must end with @ and a share/],
    ['list:reset@#0', /must end with @ and a share/],
    ['list:reset@101%', /must end with @ and a share/],
    ['list:reset@5', /must end with @ and a share/],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseFault(text)).to.throw(FaultSpecError, message);
    });
  }
});

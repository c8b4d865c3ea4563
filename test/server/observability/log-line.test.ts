import {expect} from 'chai';
import {renderLogLine} from '../../../src/server/observability/log-line.js';
import {noColors} from '../../../src/terminal/palette.js';

const at = {level: 'info', time: '2026-11-22T04:20:39.123Z'};
const clock = new Date(at.time).toTimeString().slice(0, 8);
const line = (record: object) => renderLogLine({...at, ...record}, noColors);

describe('a line of the log on a terminal', () => {
  const request = {
    msg: 'request',
    request_id: 'f430c14f',
    method: 'POST',
    route: '/api/connectors/:id/heartbeat',
    status: 200,
    milliseconds: 3.122,
  };

  for (const [title, record, shown] of [
    ['shows a request', request, 'POST /api/connectors/:id/heartbeat 200 3 ms'],
    [
      'shows which connector sent a request',
      {...request, connector_id: 'con_1'},
      'POST /api/connectors/con_1/heartbeat 200 3 ms',
    ],
    [
      'shows why a request was refused',
      {...request, status: 401, code: 'key_missing'},
      'POST /api/connectors/:id/heartbeat 401 key_missing 3 ms',
    ],
    [
      'shows a request whose client disconnected before the response',
      {...request, status: null, aborted: true},
      'POST /api/connectors/:id/heartbeat - 3 ms the client disconnected',
    ],
    [
      'shows a request without a route or method',
      {msg: 'request', status: 400, code: 'request_invalid'},
      '(no method) (no route) 400 request_invalid',
    ],
    [
      'shows an audit record',
      {msg: 'audit', audit: 'key_created', key_id: 'key_1', reason: null, description: 'rack 12'},
      'audit key_created key_id=key_1 reason=null description="rack 12"',
    ],
    [
      'names the level of a warning',
      {level: 'warn', msg: 'clock skew', details: {seconds: 2}},
      'WARN clock skew details={"seconds":2}',
    ],
    [
      'escapes control characters',
      {msg: 'a\u001b[2J\n', path: '\u202e\u0007'},
      'a\\x1b[2J\\x0a path=\\u202e\\x07',
    ],
  ] as const) {
    it(title, () => {
      expect(line(record)).to.equal(`${clock} ${shown}`);
    });
  }
});

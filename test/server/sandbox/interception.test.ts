import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import {expect} from 'chai';
import {shiftDate} from '../../../src/server/sandbox/interception.js';

describe('the errors of the Date header of several faults', () => {
  for (const [shift, date] of [
    [900 * 3650 * 86_400_000, 'Fri, 31 Dec 9999 23:59:59 GMT'],
    [-900 * 3650 * 86_400_000, 'Sat, 01 Jan 0000 00:00:00 GMT'],
    [Number.MAX_VALUE, 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ] as const) {
    it(`of ${shift} ms together is sent as ${date}, which is a valid date`, () => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      shiftDate(response, () => 0, shift);
      response.writeHead(200, {});
      expect(response.getHeader('date')).to.equal(date);
    });
  }
});

import {expect} from 'chai';
import type {Listener} from '../../src/server/net/listener.js';
import {createGate} from '../support/server/gate.js';
import {open, readAll} from '../support/server/raw-http.js';
import {listeningService, type Service} from '../support/server/service.js';

describe('pipelined requests', () => {
  let service: Service;
  let listener: Listener;
  beforeEach(async () => {
    ({service, listener} = await listeningService());
  });
  afterEach(() => listener.close());

  it('get their responses in order, even if one of them is not HTTP', async () => {
    const gate = createGate();
    const check = service.store.check.bind(service.store);
    service.store.check = async () => {
      await gate.wait();
      return check();
    };
    const ready = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n';
    const responses = readAll(open(listener.url, `${ready}${ready}NONSENSE\r\n\r\n`));
    await gate.arrived;
    gate.release();
    const statuses = (await responses).match(/HTTP\/1\.1 \d+/g);
    expect(statuses).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

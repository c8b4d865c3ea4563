import {expect} from 'chai';
import {type Listener, listen, serverFactory} from '../../src/server/net/listener.js';
import {hold} from '../support/server/gate.js';
import {open, readAll} from '../support/server/raw-http.js';
import {Service} from '../support/server/service.js';

describe('requests that come in one piece', () => {
  const options = {host: '127.0.0.1', port: 0};
  let service: Service;
  let listener: Listener;
  beforeEach(async () => {
    service = await new Service({createServer: serverFactory(options)}).start();
    listener = await listen(service.app, options);
  });
  afterEach(() => listener.close());

  it('are answered in their order, though one of them is no HTTP', async () => {
    const door = hold();
    const check = service.store.check.bind(service.store);
    service.store.check = async () => {
      await door.wait();
      await check();
    };
    const ready = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n';
    const responses = readAll(open(listener.url, `${ready}${ready}NONSENSE\r\n\r\n`));
    await door.arrived;
    door.release();
    const statuses = (await responses).match(/HTTP\/1\.1 \d+/g);
    expect(statuses).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

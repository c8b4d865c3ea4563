import {setInterval as every} from 'node:timers/promises';
import {expect} from 'chai';
import type {Listener} from '../../../src/server/net/listener.js';
import {createGate} from '../../support/server/gate.js';
import {open, readAll} from '../../support/server/raw-http.js';
import {listeningService, type Service} from '../../support/server/service.js';

describe('the requests of one connection', () => {
  let service: Service;
  let listener: Listener;

  beforeEach(async () => {
    ({service, listener} = await listeningService());
  });

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  /** Makes /readyz wait, and counts the checks of the store. */
  function holdReady() {
    const gate = createGate();
    const calls = {count: 0};
    service.store.check = async () => {
      calls.count += 1;
      await gate.wait();
    };
    return {...gate, calls};
  }

  it('are handled one after the other', async () => {
    const ready = holdReady();
    const socket = open(listener.url, get('/readyz').repeat(3) + get('/healthz'));
    const responses = readAll(socket);
    await ready.arrived;
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(ready.calls.count).to.equal(1);
    ready.release();
    for await (const _ of every(5)) if (service.lines.length === 4) break;
    expect(ready.calls.count).to.equal(3);
    socket.end();
    expect((await responses).match(/HTTP\/1\.1 200 OK/g)).to.have.length(4);
  });

  it('cut it when more than 100 wait', async () => {
    const ready = holdReady();
    const socket = open(listener.url, get('/readyz') + get('/healthz').repeat(100));
    const within = readAll(socket);
    await ready.arrived;
    const beyond = readAll(open(listener.url, get('/readyz') + get('/healthz').repeat(101)));
    expect(await beyond).to.equal('');
    ready.release();
    for await (const _ of every(5)) if (service.lines.length >= 102) break;
    socket.end();
    expect((await within).match(/HTTP\/1\.1 200 OK/g)).to.have.length(101);
  });
});

import {expect} from 'chai';
import {runHeartbeatLoop} from '../../src/client/keep-alive.js';
import {firstKey, replaceKey} from '../../src/domain/connector-keys.js';
import {sharedAt} from '../../src/domain/senders.js';
import {AppError} from '../../src/errors.js';
import {MemoryStore} from '../support/memory-store.js';
import {reading} from '../support/render.js';
import {connectorId} from '../support/store/samples.js';
import {VirtualTime} from '../support/virtual-time.js';

const minute = 60_000;

describe('a fleet of 10,000 for an hour', () => {
  it('has no finding while machines restart, lose responses and get new keys', async () => {
    const time = new VirtualTime();
    const epoch = Date.UTC(2026, 0, 1);
    const now = () => epoch + time.now();
    const store = new MemoryStore();
    const counts = {sent: 0, looks: 0, restarts: 0, lost: 0, reissued: 0, findings: 0, said: 0};

    const machine = async () => {
      const id = connectorId();
      const known = {
        id,
        organization: 'acme',
        name: 'web',
        activatedAt: now(),
        lastHeartbeatAt: null,
      };
      store.connectors.set(id, {...known, ...firstKey, keyHash: `${id} 0`});
      for (let starts = 0, keys = 0; ; starts += 1) {
        const scope = {keyHash: `${id} ${keys}`};
        const stop = new AbortController();
        const sender = {id: `${id} ${starts}`, interval: minute};
        const run = runHeartbeatLoop({
          async send() {
            counts.sent += 1;
            const record = await store.recordHeartbeat(id, now(), scope, sender);
            if (sharedAt(store.connectors.get(id)!.senders, now(), minute) !== null)
              counts.findings += 1;
            if (Math.random() < 0.05) {
              counts.lost += 1;
              throw new AppError('unavailable', 'the response was lost');
            }
            const lastHeartbeatAt = new Date(record?.lastHeartbeatAt ?? 0);
            const serverTime = new Date(now());
            return {
              status: 'online',
              lastHeartbeatAt,
              nextHeartbeatSeconds: 60,
              serverTime,
              raw: {},
            };
          },
          async read() {
            counts.looks += 1;
            const record = await store.findConnector(id, scope);
            return reading({lastHeartbeatAt: new Date(record?.lastHeartbeatAt ?? 0)});
          },
          endsWhenRevoked: true,
          every: undefined,
          signal: stop.signal,
          clock: time,
          random: Math.random,
          events: {
            accepted: () => undefined,
            failed: () => undefined,
            refused: (error) => expect.fail(error.message),
            shared: () => {
              counts.said += 1;
            },
          },
        });
        await time.wait((5 + Math.random() * 40) * minute);
        stop.abort();
        await run;
        counts.restarts += 1;
        if (Math.random() > 0.2) continue;
        keys += 1;
        const keyHash = `${id} ${keys}`;
        store.connectors.set(id, replaceKey(store.connectors.get(id)!, {name: 'web', keyHash}));
        counts.reissued += 1;
      }
    };
    for (let machines = 0; machines < 10_000; machines += 1) {
      void time.wait(Math.random() * minute).then(machine);
    }
    await time.pass(60 * minute);
    expect(counts.sent).to.be.above(500_000);
    expect(counts.looks).to.be.within(20_000, counts.sent / 10);
    expect(counts.restarts).to.be.above(10_000);
    expect(counts.lost).to.be.above(20_000);
    expect(counts.reissued).to.be.above(2000);
    expect(counts).to.include({findings: 0, said: 0});
  }).timeout(120_000);
});

import {expect} from 'chai';
import {runHeartbeatLoop} from '../../src/client/keep-alive.js';
import type {ConnectorReading, HeartbeatReading} from '../../src/client/types.js';
import {AppError} from '../../src/errors.js';
import {VirtualTime} from '../support/time/virtual-time.js';
import {seededNumbers} from '../support/values/random.js';
import {reading} from '../support/values/render.js';

const interval = 60_000;

/** A service with one connector, whose last heartbeat never goes back. */
class Service {
  readonly time: VirtualTime;
  /** The times of the services's clock, which a test may set. */
  ahead = 0;
  /** Milliseconds that the clock of a proxy, which sets `Date`, is behind. */
  dateBehind = 0;
  last: number | undefined;
  heartbeats = 0;
  reads = 0;
  /** What a response leaves out. */
  reports: 'both' | 'connector' | 'nothing' = 'both';
  beforeRead: () => Promise<void> = async () => undefined;
  /** The number of the heartbeat whose response is lost. */
  loses: (heartbeat: number) => boolean = () => false;

  constructor(time: VirtualTime) {
    this.time = time;
  }

  async send(): Promise<HeartbeatReading> {
    this.heartbeats += 1;
    const now = this.time.now() + this.ahead;
    this.last = Math.max(now, this.last ?? now);
    if (this.loses(this.heartbeats)) throw new AppError('unavailable', 'lost');
    const serverTime = new Date(Math.floor((now - this.dateBehind) / 1000) * 1000);
    const lastHeartbeatAt = this.reports === 'both' ? new Date(this.last) : undefined;
    return {status: 'online', lastHeartbeatAt, nextHeartbeatSeconds: 60, serverTime, raw: {}};
  }

  async read(): Promise<ConnectorReading> {
    this.reads += 1;
    await this.beforeRead();
    const at = this.reports === 'nothing' ? undefined : new Date(this.last ?? 0);
    return reading({lastHeartbeatAt: at});
  }
}

/** The same numbers in each run: two processes that happen to send together are told apart ten intervals later. */
const randomFrom = (seed: number) => seededNumbers(`${seed} jitter`);

/** Runs a heartbeat process from a time on. @returns what it says, and how to stop it */
function start(service: Service, delay = 0, random = randomFrom(1)) {
  const stop = new AbortController();
  const said: {isShared: boolean; interval: number}[] = [];
  const run = async () => {
    await service.time.wait(delay);
    await runHeartbeatLoop({
      send: () => service.send(),
      read: () => service.read(),
      endsWhenRevoked: true,
      every: undefined,
      signal: stop.signal,
      clock: service.time,
      random,
      onTurn: () => undefined,
      onShared: (isShared) => said.push({isShared, interval: service.time.now() / interval}),
    });
  };
  return {said, stop: () => stop.abort(), ended: run()};
}

describe('a heartbeat process', () => {
  let service: Service;
  beforeEach(() => {
    service = new Service(new VirtualTime());
  });
  const pass = (intervals: number) => service.time.pass(intervals * interval);

  for (const seconds of [1, 5, 15, 30, 45, 59]) {
    it(`says within ten intervals that another one shares its identity, ${seconds} s later, and once that it has ended`, async () => {
      const one = start(service, 0, randomFrom(1));
      const other = start(service, seconds * 1000, randomFrom(seconds));
      await pass(11);
      for (const {said} of [one, other]) {
        expect(said).to.have.length(1);
        expect(said[0]).to.include({isShared: true});
      }
      expect(one.said[0]?.interval).to.be.below(10);
      other.stop();
      await pass(12);
      expect(one.said).to.have.length(2);
      expect(one.said[1]).to.include({isShared: false});
    });
  }

  it('finds a copy at a service whose heartbeat responses have no time', async () => {
    service.reports = 'connector';
    const one = start(service, 0, randomFrom(1));
    start(service, interval / 2, randomFrom(2));
    await pass(11);
    expect(one.said).to.have.length(1);
  });

  /** What happens while one process runs for an hour. */
  const alone: readonly (readonly [what: string, happen: () => Promise<unknown>])[] = [
    ['nothing', async () => undefined],
    [
      'a restart every few minutes',
      async () => {
        for (let restart = 0; restart < 8; restart += 1) {
          const {said, stop} = start(service);
          await pass(7.5);
          stop();
          expect(said).to.deep.equal([]);
        }
      },
    ],
    [
      'a lost response now and then, also before a reading',
      async () => {
        service.loses = (heartbeat) => heartbeat % 3 === 0;
      },
    ],
    [
      'a heartbeat by hand every ten minutes',
      async () => {
        for (let minute = 5; minute < 60; minute += 10) {
          void service.time.wait(minute * interval).then(() => service.send());
        }
      },
    ],
    [
      'a clock of the service that jumps back and forth',
      async () => {
        for (let minute = 5; minute < 60; minute += 7) {
          void service.time.wait(minute * interval).then(() => {
            service.ahead = (minute % 2 === 0 ? -1 : 1) * 3_600_000;
          });
        }
      },
    ],
    [
      'a proxy whose clock is four seconds behind, at a service that reports it for the connector alone',
      async () => {
        service.reports = 'connector';
        service.dateBehind = 4000;
      },
    ],
    [
      'a service without a last heartbeat',
      async () => {
        service.reports = 'nothing';
      },
    ],
    [
      'a service that reports it for the connector alone, and whose clock jumps',
      async () => {
        service.reports = 'connector';
        void service.time.wait(20 * interval).then(() => {
          service.ahead = -3_600_000;
        });
      },
    ],
  ];
  for (const [what, happen] of alone) {
    it(`says nothing during an hour with ${what}`, async () => {
      await happen();
      const {said, stop} = start(service);
      await pass(60);
      stop();
      expect(said).to.deep.equal([]);
    });
  }

  it('sends at most a tenth more requests', async () => {
    start(service);
    await pass(600);
    expect(service.reads).to.be.within(50, service.heartbeats / 10);
  });

  it('asks no more after a refusal or without a last heartbeat, and sends its heartbeats on', async () => {
    service.beforeRead = async () => {
      throw new AppError('auth', 'refused', {status: 403});
    };
    const refused = start(service);
    await pass(60);
    refused.stop();
    expect(service).to.include({reads: 1});
    expect(service.heartbeats).to.be.above(55);
    await pass(2);
    service = new Service(new VirtualTime());
    service.reports = 'nothing';
    start(service);
    await pass(60);
    expect(service).to.include({reads: 1});
  });

  it('asks again ten heartbeats after a reading without a response', async () => {
    service.beforeRead = async () => {
      throw new AppError('unavailable', 'no response');
    };
    const one = start(service);
    start(service, interval / 2);
    await pass(40);
    expect(service.reads).to.be.within(6, 9);
    expect(one.said).to.deep.equal([]);
    service.beforeRead = async () => undefined;
    await pass(12);
    expect(one.said).to.have.length(1);
  });
});

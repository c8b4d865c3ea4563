import {expect} from 'chai';
import {restartingFrom} from '../../src/domain/check/sentence.js';
import {type Senders, sentBy, sharedAt, startsLastHour} from '../../src/domain/senders.js';
import {day, minute} from '../../src/domain/time.js';
import {seededNumbers} from '../support/values/random.js';

const interval = minute;

/** The senders after heartbeats of processes, each a number of intervals after the first: `A0 B1 A2`. */
function after(heartbeats: string): {senders: Senders | null; now: number} {
  let senders: Senders | null = null;
  let last: number | null = null;
  for (const [, id = '', intervals] of heartbeats.matchAll(/([A-Z])([\d.]+)/g)) {
    const at = Number(intervals) * interval;
    senders = sentBy(senders, {id, interval}, at, last);
    last = at;
  }
  return {senders, now: last ?? 0};
}

const isShared = (heartbeats: string, later = 0) => {
  const {senders, now} = after(heartbeats);
  return sharedAt(senders, now + later * interval, interval) !== null;
};

describe('the senders of a connector', () => {
  const shared = [
    ...['A0 B0.5 A1', 'A0 A1 B1.5 A2 B2.5', 'A0 B2 A3', 'A0 B1 B2 A2.9', 'A0 B1 C2 A3'],
    ...['A0 B1 C1.2 B2 C2.2 B3 C3.2 B4', 'A0 B0.1 C0.2 D0.3 E0.4 A1'],
  ];
  for (const heartbeats of shared) {
    it(`are several that share its identity after ${heartbeats}`, () => {
      expect(isShared(heartbeats)).to.equal(true);
    });
  }

  it('are several that share its identity while more take turns than are remembered', () => {
    const machines = [...'ABCDEFGHIJKLMNOPQRST'];
    const turn = (round: number) =>
      machines.map((id, at) => `${id}${round + at / machines.length}`).join(' ');
    expect(isShared(turn(0))).to.equal(false);
    for (const rounds of [2, 3, 4]) {
      const turns = Array.from({length: rounds}, (_, round) => turn(round)).join(' ');
      expect(isShared(turns), `${rounds} rounds`).to.equal(true);
    }
  });

  const single = ['A0', 'A0 A1 A2', 'A0 B1 B2 B3', 'A0 B1 C2 D3 E4', 'A0 B1 A3.1', 'A0 B1 C2 A3.1'];
  for (const heartbeats of single) {
    it(`are one at a time after ${heartbeats}`, () => {
      expect(isShared(heartbeats)).to.equal(false);
    });
  }

  it('no longer share it three intervals after they last took turns', () => {
    expect(isShared('A0 B0.5 A1 A2 A3', 1)).to.equal(true);
    expect(isShared('A0 B0.5 A1 A2 A3 A4', 0.1)).to.equal(false);
  });
});

describe('the starts of a connector within the last hour', () => {
  const starts = (heartbeats: string, later = 0) => {
    const {senders, now} = after(heartbeats);
    return startsLastHour(senders, now + later * interval);
  };

  it('are none without a heartbeat that names its process', () => {
    expect(startsLastHour(null, 0)).to.equal(0);
  });

  it('are as many as processes, up to eight, however short each of them was', () => {
    expect(starts('A0 A1 A2')).to.equal(1);
    expect(starts('A0 B0.1 C0.2 D0.3 E0.4')).to.equal(restartingFrom);
    expect(starts('A0 B1 C2 D3 E4 F5 G6 H7 I8 J9')).to.equal(8);
  });

  it('count two processes that take turns once each, for however long', () => {
    const turns = Array.from({length: 200}, (_, at) => `${at % 2 ? 'B' : 'A'}${at / 2}`).join(' ');
    expect(starts(turns)).to.equal(0);
    expect(starts(`${turns} C99.9 A100.4`)).to.equal(1);
    expect(starts('A0 B0.5 A1 B1.5 A2')).to.equal(2);
  });

  it('end after an hour', () => {
    const restarts = 'A0 B15 C30 D45 E59';
    expect(starts(restarts)).to.equal(5);
    expect(starts(restarts, 2)).to.equal(4);
    expect(starts(restarts, 61)).to.equal(0);
    expect(starts('A0 B15 C30 D45 E61')).to.equal(4);
  });

  it('are a false alarm after five deployments in an hour', () => {
    expect(starts('A0 B1440 C1450 D1460 E1470')).to.be.below(restartingFrom);
    expect(starts('A0 B1440 C1450 D1460 E1470 F1480')).to.equal(restartingFrom);
  });
});

describe('a fleet of 10,000 connectors in a virtual week', () => {
  const random = seededNumbers('a week');
  const week = 7 * day;
  const within = (time: number) => Math.floor(random() * time);
  /** Two deployments a day, half an hour apart on the worst one. */
  const deployments = Array.from({length: 14}, (_, at) =>
    at === 7 ? 3 * day + 30 * minute : (at * day) / 2,
  );

  /** When the process of a connector starts: with each deployment, each day, and after a reissue of its key. */
  function startsOf(reissuedAt: number): readonly number[] {
    const timer = within(day);
    const days = Array.from({length: 7}, (_, at) => at * day + timer);
    const deployed = deployments.map((at) => at + within(5 * minute));
    return [...days, ...deployed, reissuedAt].sort((one, other) => one - other);
  }

  /** The most starts of a connector that one reading shows, and whether one shows it as shared. */
  function liveThroughTheWeek() {
    const reissuedAt = within(week);
    const starts = startsOf(reissuedAt);
    let senders: Senders | null = null;
    let last: number | null = null;
    let most = 0;
    let isShared = false;
    for (const [index, start] of starts.entries()) {
      if (start === reissuedAt) senders = null;
      const id = String(index);
      const end = Math.max(start, (starts[index + 1] ?? week) - within(interval));
      // The response to the first heartbeat is lost, so it is sent again; the heartbeats up to the last change nothing.
      for (const at of [start, Math.min(start + 1000, end), end]) {
        senders = sentBy(senders, {id, interval}, at, last);
        last = at;
        most = Math.max(most, startsLastHour(senders, at));
        isShared ||= sharedAt(senders, at, interval) !== null;
      }
    }
    return {most, isShared};
  }

  it('has no connector that restarts or is shared, with deployments, lost responses, reissues and daily restarts', () => {
    let most = 0;
    for (let count = 0; count < 10_000; count += 1) {
      const lived = liveThroughTheWeek();
      expect(lived.isShared).to.equal(false);
      most = Math.max(most, lived.most);
    }
    expect(most).to.be.within(3, restartingFrom - 1);
  });
});

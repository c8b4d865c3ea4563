import {expect} from 'chai';
import {type Senders, sentBy, sharedAt} from '../../src/domain/senders.js';

const interval = 60_000;

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

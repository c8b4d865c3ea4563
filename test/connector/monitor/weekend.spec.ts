import {readFileSync} from 'node:fs';
import {expect} from 'chai';
import type {Client} from '../../../src/client/types.js';
import {checkConnectors} from '../../../src/connector/check/run.js';
import {monitor} from '../../../src/connector/monitor/run.js';
import {withState} from '../../../src/connector/monitor/state-file.js';
import type {JsonObject} from '../../../src/domain/json.js';
import {AppError} from '../../../src/errors.js';
import {fakeIo} from '../../support/process/io.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const minute = 60_000;
const hour = 60 * minute;
const friday = Date.parse('2026-03-06T18:00:00Z');
const service = 'http://127.0.0.1:4480';

const names = Array.from({length: 500}, (_, index) => `web-${String(index).padStart(3, '0')}`);
const rack = names.slice(100, 120);

/** When a connector is offline, in hours from the start; `end` is the first moment when it is online again. */
interface Offline {
  readonly names: readonly string[];
  readonly from: number;
  readonly end: number;
}

const offline: readonly Offline[] = [
  {names: ['web-007'], from: 1, end: 3},
  // A loose cable: for an hour, the rack is away for 90 s of every 5 minutes.
  ...Array.from({length: 12}, (_, index) => {
    const from = 10 + index / 12;
    return {names: rack, from, end: from + 90 / 3600};
  }),
  {names: ['web-201'], from: 19, end: 21},
  {names: ['web-200'], from: 21, end: 30},
  {names: ['web-300'], from: 40.5, end: 44},
  {names: rack, from: 50, end: 52},
];

/** When the monitor runs, and when the service is away, in hours. */
const runs = [
  [0, 20],
  [22, 35],
  [35, 72],
] as const;
const outages = [
  [40, 41],
  // A restart.
  [60, 60 + 1 / 60],
] as const;

/** What the weekend has to look like: minutes from the start, change, and who. */
const expected: readonly (readonly [number, string, readonly string[]])[] = [
  [62, 'began', ['web-007']],
  [180, 'ended', ['web-007']],
  [19 * 60 + 2, 'began', ['web-201']],
  // The monitor was down from 20 to 22.
  [22 * 60, 'ended', ['web-201']],
  [22 * 60 + 2, 'began', ['web-200']],
  [30 * 60, 'ended', ['web-200']],
  [40 * 60 + 2, 'began', [service]],
  [41 * 60, 'ended', [service]],
  [41 * 60 + 2, 'began', ['web-300']],
  [44 * 60, 'ended', ['web-300']],
  [50 * 60 + 2, 'began', rack],
  [52 * 60, 'ended', rack],
];

describe('a monitor on a weekend', () => {
  const at = temporaryDirectory();

  it('tells of each change once, and of nothing else', async () => {
    let now = friday;
    const hours = () => (now - friday) / hour;
    const isIn = (from: number, end: number) => hours() >= from - 1e-9 && hours() < end - 1e-9;
    const client = {
      listConnectors: () => ({
        async all() {
          if (outages.some(([from, end]) => isIn(from, end))) {
            throw new AppError('unavailable', 'nothing listens');
          }
          const gone = new Set(
            offline.flatMap((one) => (isIn(one.from, one.end) ? one.names : [])),
          );
          return names.map((name) => ({
            id: `con_${name}`,
            name,
            status: gone.has(name) ? 'offline' : 'online',
            last_heartbeat_at: new Date(now).toISOString(),
          })) as readonly JsonObject[];
        },
      }),
    } as Pick<Client, 'listConnectors'> as Client;
    const check = {
      rules: [{name: 'max-offline', fail: {value: 0, unit: ''}}],
      expected: undefined,
      allowUnexpected: false,
      name: undefined,
      failOnWarning: false,
      waitTimeout: 0,
      service,
      facts: () => ({key: undefined, clockAhead: now - Date.now()}),
      now: () => now,
    } as const;
    const deliveries: {minutes: number; ids: readonly string[]; isAccepted: boolean}[] = [];
    const shown: (readonly [number, string, string])[] = [];
    for (const [from, end] of runs) {
      now = friday + from * hour;
      const stop = new AbortController();
      await withState(at('state.json'), service, (store) =>
        monitor({
          check: (signal) => checkConnectors(client, check, signal),
          store,
          clock: {
            now: () => now,
            async wait(milliseconds) {
              now += milliseconds;
              if (hours() >= end) stop.abort();
            },
          },
          now: () => now,
          every: minute,
          hold: 2 * minute,
          reportsFirst: false,
          repeat: Number.POSITIVE_INFINITY,
          isOnce: false,
          async show(events) {
            for (const {change, at: time, problem} of events)
              shown.push([(time - friday) / minute, change, problem.subject]);
          },
          async deliver(events) {
            const minutes = (now - friday) / minute;
            // The mail server is away when the rack goes down, three times.
            const isAccepted = minutes < 50 * 60 || minutes >= 50 * 60 + 5;
            deliveries.push({minutes, ids: events.map(({id}) => id), isAccepted});
            return isAccepted ? undefined : 'exited with 1';
          },
          io: fakeIo(),
          signal: stop.signal,
        }),
      );
    }
    expect(shown).to.deep.equal(
      expected.flatMap(([minutes, change, who]) => who.map((name) => [minutes, change, name])),
    );
    const accepted = deliveries.filter(({isAccepted}) => isAccepted);
    expect(accepted.map(({minutes, ids}) => [minutes, ids.length])).to.deep.equal(
      expected.map(([minutes, , who]) => [
        minutes === 50 * 60 + 2 ? 50 * 60 + 5 : minutes,
        who.length,
      ]),
    );
    const [first, ...again] = deliveries.filter(({minutes}) => Math.floor(minutes / 60) === 50);
    expect(again).to.have.length(3);
    for (const {ids} of again) expect(ids).to.deep.equal(first?.ids);
    expect(JSON.parse(readFileSync(at('state.json'), 'utf8'))).to.deep.equal({
      schema: 1,
      service,
      state: {hasBaseline: true, problems: []},
    });
  });
});

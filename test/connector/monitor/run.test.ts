import {expect} from 'chai';
import {monitor} from '../../../src/connector/monitor/run.js';
import {unsaved} from '../../../src/connector/monitor/state-file.js';
import {MonitorState, noState} from '../../../src/domain/check/monitor.js';
import {AppError} from '../../../src/errors.js';

const finding = {
  id: 'offline',
  rule: 'max-offline',
  subject: 'a',
  status: 'fail',
  message: 'a',
  details: {id: 'c-a'},
} as const;

describe('the state of a monitor', () => {
  /** Looks five times at a connector that is offline from the second look on, and cannot save at some of them. */
  async function looks({
    fullAt,
    reason = unsaved,
    loaded = noState,
  }: {
    fullAt: readonly number[];
    reason?: string;
    loaded?: MonitorState;
  }) {
    const stop = new AbortController();
    const told: string[] = [];
    const said: string[] = [];
    const say = (line: string) => void said.push(`${look} ${line}`);
    let saved = loaded;
    // A later run goes on with the time.
    const start = loaded === noState ? 0 : 5;
    let look = start;
    const savedAt: number[] = [];
    const ended = monitor({
      check: async () => {
        look += 1;
        // The message has the age of the last heartbeat.
        const findings = look === 1 ? [] : [{...finding, message: `a (${look}s ago)`}];
        return {
          report: {findings, service: 'https://x.example', summary: '2 of 2 connectors are online'},
          error: undefined,
        } as never;
      },
      store: {
        load: async () => loaded,
        async save(state) {
          if (fullAt.includes(look)) throw new AppError('usage', 'no space left', {reason});
          saved = state;
          savedAt.push(look);
        },
      },
      clock: {now: () => look, wait: async () => void (look === start + 5 && stop.abort())},
      now: () => look,
      every: 30_000,
      hold: 0,
      reportsFirst: false,
      repeat: Number.POSITIVE_INFINITY,
      isOnce: false,
      show: async () => undefined,
      async deliver(events) {
        told.push(...events.map(({change, problem}) => `${look} ${change} ${problem.subject}`));
        return undefined;
      },
      io: {note: say, error: say},
      signal: stop.signal,
    });
    const error: unknown = await ended.catch((thrown: unknown) => thrown);
    return {told, said, saved, savedAt, error};
  }

  it('says so once, tells what it found, and saves it after a later look', async () => {
    const {told, said, saved, error} = await looks({fullAt: [2, 3]});
    expect(error).to.equal(undefined);
    expect(told).to.deep.equal(['2 began a']);
    expect(said).to.deep.equal([
      '1 Watching https://x.example every 30s: 2 of 2 connectors are online. Ctrl-C ends.',
      '2 no space left It is tried again after the next check.',
      '4 The state file is written again.',
    ]);
    expect(saved.problems.map(({problem}) => problem.subject)).to.deep.equal(['a']);
  });

  it('is saved only when more than an age has changed', async () => {
    const {savedAt} = await looks({fullAt: []});
    expect(new Set(savedAt)).to.deep.equal(new Set([1, 2]));
  });

  it('is not saved when a later start finds what the last one has saved', async () => {
    const {saved} = await looks({fullAt: []});
    const loaded = MonitorState.parse(JSON.parse(JSON.stringify(saved)));
    expect((await looks({fullAt: [], loaded})).savedAt).to.deep.equal([]);
  });

  it('ends when another process has its state file', async () => {
    const {error} = await looks({fullAt: [2], reason: 'lock-lost'});
    expect(error).to.be.instanceOf(AppError);
  });
});

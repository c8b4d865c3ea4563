import {captureOutput} from '@oclif/test';
import {expect} from 'chai';
import {pollConnectors} from '../../../../src/cli/connectors/watch/poll.js';
import {ChangeLines, type WatchView} from '../../../../src/cli/connectors/watch/view.js';
import type {Client, ConnectorReading} from '../../../../src/client/types.js';
import {AppError, type ErrorKind} from '../../../../src/errors.js';
import {noColors} from '../../../../src/render/palette.js';
import {reading} from '../../../support/render.js';
import {skippingClock} from '../../../support/skipping-clock.js';

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

type Poll = readonly ConnectorReading[] | ErrorKind;

/** A client that returns the next list, or throws the next error, at each poll. */
function listing(polls: readonly Poll[]): Pick<Client, 'listConnectors'> {
  let count = 0;
  return {
    async *listConnectors() {
      const poll = polls[count] ?? [];
      count += 1;
      if (typeof poll === 'string') throw new AppError(poll, `${poll} \x07`);
      yield* poll;
    },
  };
}

/** Watches until each of the given polls has been read, and returns the output. */
async function watch(polls: readonly Poll[], isJson = false) {
  const stop = new AbortController();
  const {clock, waits} = skippingClock(({length}) => {
    if (length === polls.length) stop.abort();
  });
  let stdout = '';
  const view = new ChangeLines(noColors, isJson, async (text) => {
    // The first timestamp in a line is that of the change.
    stdout += text.replace(new RegExp(times.source), 'TIME');
  });
  const {stderr, error} = await captureOutput(
    () => pollConnectors(listing(polls) as Client, {}, view, stop.signal, undefined, clock),
    {stripAnsi: false},
  );
  return {stdout, stderr, waits, error};
}

const a = reading({id: 'a', name: 'one', status: 'online'});
const b = reading({id: 'b', name: 'two\x1b[2J', status: 'never'});

describe('connector list --watch without a terminal', () => {
  it('writes the current connectors, then one line for each change', async () => {
    const {stdout, stderr, waits} = await watch([
      [a],
      [a, b],
      [a, b],
      [{...a, status: 'offline'}, b],
      [{...a, status: 'offline'}],
    ]);
    expect(stdout).to.equal(
      'TIME + a online one\nTIME + b never two\\x1b[2J\nTIME ~ a offline one (status: online → offline)\nTIME - b never two\\x1b[2J\n',
    );
    expect(stderr).to.equal('');
    expect(waits).to.deep.equal([2000, 2000, 2000, 2000, 2000]);
  });

  it('writes changes as JSON lines, and says when the first poll is complete', async () => {
    const {stdout} = await watch([[a], [{...a, status: undefined}], []], true);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).to.deep.equal([
      {at: 'TIME', change: 'added', connector: a.raw},
      {at: 'TIME', change: 'synced'},
      {
        at: 'TIME',
        change: 'changed',
        id: 'a',
        name: 'one',
        status: null,
        last_heartbeat_at: '2026-07-01T11:59:48.000Z',
        field: 'status',
        from: 'online',
        to: null,
      },
      {
        at: 'TIME',
        change: 'removed',
        connector: {id: 'a', name: 'one', organization: a.organization ?? null, status: null},
      },
    ]);
  });

  it('reports each outage once, even if the error changes, and each recovery once', async () => {
    const {stdout, stderr} = await watch([
      'unavailable',
      'unavailable',
      'remote',
      [a],
      'unavailable',
      [a],
    ]);
    expect(stdout).to.equal('TIME + a online one\n');
    expect(stderr.split('\n')).to.deep.equal([
      'unavailable \\x07; retrying',
      'remote \\x07; retrying',
      'The service is available again.',
      'unavailable \\x07; retrying',
      'The service is available again.',
      '',
    ]);
  });

  for (const kind of ['auth', 'protocol', 'usage', 'not_found'] as const) {
    it(`ends on an error of kind ${kind}, because a retry cannot succeed`, async () => {
      const {error} = await watch([[a], kind, [a]]);
      expect(error).to.be.instanceOf(AppError).with.property('kind', kind);
    });
  }

  it('ends without an error when its signal aborts during a request', async () => {
    const stop = new AbortController();
    const client = {
      async *listConnectors() {
        stop.abort();
        yield* (await Promise.reject(new AppError('cancelled', 'cancelled'))) as Poll & object;
      },
    };
    const view: WatchView = {
      show: async (connectors) => {
        for await (const {id} of connectors) expect.fail(`nothing to show, but ${id}`);
      },
      fail: async () => expect.fail('nothing failed'),
      close: () => undefined,
      limit: 1,
    };
    await pollConnectors(client as unknown as Client, {}, view, stop.signal);
  });
});

import {expect} from 'chai';
import type {Client} from '../../src/client/types.js';
import {waitForStatus} from '../../src/connector/wait-for-status.js';
import {AppError, type ErrorKind} from '../../src/errors.js';
import {runChild} from '../support/process/child.js';
import {fakeIo} from '../support/process/io.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {skippingClock} from '../support/time/skipping-clock.js';
import {reading} from '../support/values/render.js';

type State = string | undefined | {readonly fails: ErrorKind};

/** Waits for `online` while the connector goes through these states; the last one repeats. */
async function wait(states: readonly State[], limit = 60_000) {
  let count = 0;
  const {clock} = skippingClock();
  const client: Pick<Client, 'getConnector'> = {
    async getConnector(id) {
      const state = states[Math.min(count, states.length - 1)];
      count += 1;
      if (typeof state === 'object') throw new AppError(state.fails, `it failed: ${state.fails}`);
      return reading({id, status: state});
    },
  };
  const outcome = await waitForStatus(
    client as Client,
    'con_1',
    {status: 'online', limit},
    fakeIo(),
    clock,
  ).catch((error: unknown) => error);
  return {outcome, now: clock.now(), count};
}

describe('connector get --wait', () => {
  it('polls once a second until the connector has the status, in upper or lower case', async () => {
    const {outcome, now} = await wait(['never', 'stale', 'Online']);
    expect(outcome).to.include({id: 'con_1', status: 'Online'});
    expect(now).to.equal(2000);
  });

  it('keeps polling while the service is unavailable', async () => {
    const {outcome} = await wait([{fails: 'unavailable'}, {fails: 'remote'}, 'online']);
    expect(outcome).to.include({status: 'online'});
  });

  for (const [states, last, hint] of [
    [['offline'], 'it is offline', 'connectorctl connector get con_1'],
    [[undefined], 'its service returns no status', 'connectorctl connector get con_1'],
    [['never', {fails: 'unavailable'}], 'it failed: unavailable', undefined],
  ] as const) {
    it(`times out and reports the last known state: ${last}`, async () => {
      const {outcome, now, count} = await wait(states, 4500);
      expect(outcome)
        .to.be.instanceOf(AppError)
        .and.include({
          kind: 'unavailable',
          message: `con_1 did not become online within 4.5 s: ${last}`,
        });
      // The hint of a failure follows from its reason.
      if (hint === undefined) expect(outcome).to.have.property('hint', undefined);
      else expect(outcome).to.have.property('hint').that.includes(hint);
      expect(now).to.equal(4500);
      expect(count).to.equal(5);
    });
  }

  for (const fails of ['auth', 'not_found', 'protocol', 'usage'] as const) {
    it(`ends immediately on an error of kind ${fails}, because waiting cannot help`, async () => {
      const {outcome, count} = await wait(['never', {fails}, 'online']);
      expect(outcome).to.be.instanceOf(AppError).with.property('kind', fails);
      expect(count).to.equal(2);
    });
  }

  const get = ['connector', 'get', 'con_1', '--wait', 'online'];
  const run = async (response: Respond, ...more: string[]) => {
    const {url} = await thirdPartyService(response);
    return runChild([...get, ...more], {env: {CONNECTORCTL_BASE_URL: url}});
  };

  it('times out when the service never responds', async () => {
    const waited = await run(() => undefined, '--wait-timeout', '300ms');
    expect(waited).to.deep.include({code: 6, stdout: ''});
    expect(waited.stderr).to.match(
      /con_1 did not become online within 0\.3 s: no response from its service/,
    );
  });

  it('accepts a --wait-timeout longer than the longest timer, and rejects one without --wait', async () => {
    const {url} = await thirdPartyService(json({id: 'con_1', status: 'online'}));
    const env = {CONNECTORCTL_BASE_URL: url};
    const long = await runChild([...get, '--wait-timeout', '1000h'], {env});
    expect(long).to.deep.include({code: 0, stderr: ''});
    const without = await runChild(['connector', 'get', 'con_1', '--wait-timeout', '1s'], {env});
    expect(without.code).to.equal(2);
    expect(without.stderr).to.include('--wait');
  });
});

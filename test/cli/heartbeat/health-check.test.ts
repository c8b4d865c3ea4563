import {getEventListeners} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import {expect} from 'chai';
import {runCheck} from '../../../src/cli/heartbeat/health-check.js';

describe('a health check', () => {
  it('leaves neither its timer nor its listener behind, which could kill the next owner of its id', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    // Mocha starts its timer after the first part of the test.
    await setImmediate();
    const before = timers().length;
    const {signal} = new AbortController();
    const guard = {watch: () => undefined};
    const check = {command: 'exit 0', env: process.env, timeout: 30_000, guard};
    await runCheck(check, signal);
    expect(timers()).to.have.length(before);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });
});

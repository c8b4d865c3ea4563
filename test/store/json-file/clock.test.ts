import {expect} from 'chai';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {activate, minute, start} from '../../support/store/samples.js';

describe('a JSON file store whose clock is set back', () => {
  const directory = useStoreDirectory();

  it('warns at start of heartbeats in the future, logs how far ahead they are, and keeps them', async () => {
    const scope = {organization: 'acme'};
    const future = start + 3 * 60 * minute;
    let store = await directory.open();
    const {id} = await activate(store);
    await store.recordHeartbeat(id, future, scope);
    directory.now = future - minute;
    store = await directory.reopen(store);
    expect(directory.log).to.deep.equal([]);
    directory.now = start;
    store = await directory.reopen(store);
    const connector = await store.recordHeartbeat(id, start + minute, scope);
    expect(connector?.lastHeartbeatAt).to.equal(future);
    expect(directory.log).to.deep.equal([
      {
        level: 'warn',
        details: {seconds: 3 * 60 * 60, latest: new Date(future).toISOString()},
        message:
          'heartbeats are recorded ahead of the clock; until it catches up, their connectors are shown as online regardless of their state',
      },
    ]);
  });
});

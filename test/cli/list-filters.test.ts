import {expect} from 'chai';
import {withJudgedFilters} from '../../src/cli/list-filters.js';
import type {Selection} from '../../src/domain/selection.js';
import {all, failure} from '../support/client.js';
import {bareReading, reading, streamOf} from '../support/render.js';

describe('withJudgedFilters', () => {
  const bare = [bareReading('a', 'A'), bareReading('b', 'B')];
  const pass = (connectors: typeof bare, selection: Selection) =>
    all(withJudgedFilters(streamOf(connectors), selection));

  it('passes all connectors through when they have the fields to filter by', async () => {
    const mixed = [...bare, {...bareReading('c'), status: 'lost'}];
    expect(await pass(mixed, {status: 'online', name: 'x*'})).to.deep.equal(mixed);
    expect(await pass(bare, {name: 'x*'})).to.deep.equal(bare);
    expect(await pass([], {status: 'online'})).to.deep.equal([]);
  });

  it('fails at the end of the list if no connector has the field to filter by', async () => {
    const error = await failure(() => pass(bare, {status: 'offline'}));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.include('Cannot filter by --status');
    const nameless = [bareReading('a')];
    expect((await failure(() => pass(nameless, {name: '*'}))).message).to.include('--name');
  });

  it('rejects a status unknown to the reference service, and suggests a similar one', async () => {
    const error = await failure(() => pass([reading()], {status: 'Ofline'}));
    expect(error).to.include({kind: 'usage', message: 'No such status: Ofline'});
    expect(error.hint).to.include('Did you mean offline?');
    expect((await failure(() => pass([reading()], {status: 'broken'}))).hint).to.equal(
      'The statuses are: never, online, stale, offline, revoked.',
    );
    expect(await pass([reading()], {status: 'OFFLINE'})).to.have.length(1);
  });
});

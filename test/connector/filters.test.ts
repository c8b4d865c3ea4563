import {expect} from 'chai';
import {checkFields} from '../../src/connector/filters.js';
import type {Selection} from '../../src/domain/selection.js';
import {failure} from '../support/client.js';
import {bareReading, reading} from '../support/render.js';

describe('checkFields', () => {
  const bare = [bareReading('a', 'A'), bareReading('b', 'B')];
  const pass = async (connectors: typeof bare, selection: Selection) => {
    checkFields(connectors, selection);
    return connectors;
  };

  it('passes all connectors through when they have the fields to filter by', async () => {
    const mixed = [...bare, {...bareReading('c'), status: 'lost'}];
    expect(await pass(mixed, {status: ['online'], name: ['x*']})).to.deep.equal(mixed);
    expect(await pass(bare, {name: ['x*']})).to.deep.equal(bare);
    expect(await pass([], {status: ['online']})).to.deep.equal([]);
  });

  it('fails at the end of the list if no connector has the field to filter by', async () => {
    const error = await failure(() => pass(bare, {status: ['offline']}));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.include('Cannot filter by --status');
    const nameless = [bareReading('a')];
    expect((await failure(() => pass(nameless, {name: ['*']}))).message).to.include('--name');
  });

  it('rejects a status unknown to the reference service, and suggests a similar one', async () => {
    const error = await failure(() => pass([reading()], {status: ['Ofline']}));
    expect(error).to.include({kind: 'usage', message: 'No such status: Ofline'});
    expect(error.hint).to.include('Did you mean offline?');
    expect((await failure(() => pass([reading()], {status: ['broken']}))).hint).to.equal(
      'The statuses are: never, online, stale, offline, revoked.',
    );
    expect(await pass([reading()], {status: ['OFFLINE']})).to.have.length(1);
    expect(
      (await failure(() => pass([reading()], {status: ['offline', 'broken']}))).message,
    ).to.equal('No such status: broken');
  });

  it('rejects a filter by age when no connector has a last heartbeat, but not when it is null', async () => {
    expect((await failure(() => pass(bare, {olderThan: 1}))).message).to.include('--older-than');
    const never = [{...bareReading('a'), lastHeartbeatAt: null}];
    expect(await pass(never, {olderThan: 1})).to.deep.equal(never);
  });

  it('rejects a field to sort by that no connector has, suggests a similar one, and lists all', async () => {
    const sort = (field: string) => ({sort: {field, descending: false}});
    const error = await failure(() => pass([reading()], sort('nmae')));
    expect(error.kind).to.equal('usage');
    expect(error.hint).to.match(/^Did you mean name\? The fields are: id, name, status, /);
    const rack = [{...bareReading('a'), raw: {id: 'a', rack: {row: 2}}}];
    const {hint} = await failure(() => pass(rack, sort('rakc')));
    expect(hint).to.equal('Did you mean rack? The fields are: id, rack.');
    expect((await failure(() => pass(rack, sort('x')))).hint).to.equal('The fields are: id, rack.');
    expect(await pass(rack, sort('rack.row'))).to.deep.equal(rack);
    expect(await pass(bare, sort('status'))).to.deep.equal(bare);
  });
});

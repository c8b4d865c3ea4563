import {expect} from 'chai';
import {checkNames} from '../../src/connector/known-names.js';
import type {JsonObject} from '../../src/domain/json.js';
import {failure} from '../support/client.js';
import {reading} from '../support/values/render.js';

describe('checkNames', () => {
  const bare: readonly JsonObject[] = [
    {id: 'a', name: 'A'},
    {id: 'b', name: 'B'},
  ];
  const ours = reading().raw;
  const pass = async (
    connectors: readonly JsonObject[],
    names: Parameters<typeof checkNames>[1],
  ) => {
    checkNames(connectors, names);
    return connectors;
  };

  it('passes all connectors through when they have the fields to filter by', async () => {
    const mixed = [...bare, {id: 'c', status: 'lost'}];
    expect(await pass(mixed, {filters: {status: 'status', name: 'name'}})).to.deep.equal(mixed);
    expect(await pass(bare, {filters: {name: 'name'}})).to.deep.equal(bare);
    expect(await pass([], {filters: {status: 'status'}})).to.deep.equal([]);
  });

  it('fails at the end of the list if no connector has the field to filter by', async () => {
    const error = await failure(() => pass(bare, {filters: {status: 'status'}}));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.include('Cannot filter by --status');
    const nameless = [{id: 'a'}];
    expect((await failure(() => pass(nameless, {filters: {name: 'name'}}))).message).to.include(
      '--name',
    );
  });

  it('rejects a status unknown to the reference service, and suggests a similar one', async () => {
    const error = await failure(() => pass([ours], {status: ['Ofline']}));
    expect(error).to.include({kind: 'usage', message: 'No such status: Ofline'});
    expect(error.hint).to.include('Did you mean offline?');
    expect((await failure(() => pass([ours], {status: ['broken']}))).hint).to.equal(
      'The statuses are: never, online, stale, offline, revoked.',
    );
    expect(await pass([ours], {status: ['OFFLINE']})).to.have.length(1);
    expect((await failure(() => pass([ours], {status: ['offline', 'broken']}))).message).to.equal(
      'No such status: broken',
    );
  });

  it('rejects a filter by age when no connector has a last heartbeat, but not when it is null', async () => {
    const age = {filters: {'older-than': 'last_heartbeat_at'}} as const;
    expect((await failure(() => pass(bare, age))).message).to.include('--older-than');
    const never = [{id: 'a', last_heartbeat_at: null}];
    expect(await pass(never, age)).to.deep.equal(never);
  });

  it('rejects a field to sort by that no connector has, suggests a similar one, and lists all', async () => {
    const sort = (field: string) => ({sort: field});
    const error = await failure(() => pass([ours], sort('nmae')));
    expect(error.kind).to.equal('usage');
    expect(error.hint).to.match(/^Did you mean name\? The fields are: id, name, status, /);
    const rack = [{id: 'a', rack: {row: 2}}];
    const {hint} = await failure(() => pass(rack, sort('rakc')));
    expect(hint).to.equal('Did you mean rack? The fields are: id, rack.');
    expect((await failure(() => pass(rack, sort('x')))).hint).to.equal('The fields are: id, rack.');
    expect(await pass(rack, sort('rack.row'))).to.deep.equal(rack);
    expect(await pass(bare, sort('status'))).to.deep.equal(bare);
  });
});

import {expect} from 'chai';
import type {Client} from '../../../src/client/types.js';
import {listSelected, type Selection} from '../../../src/connector/list/selection.js';
import type {JsonObject} from '../../../src/domain/json.js';
import {failure} from '../../support/client.js';
import {reading} from '../../support/values/render.js';

describe('the names of a selection', () => {
  const bare: readonly JsonObject[] = [
    {id: 'a', name: 'A'},
    {id: 'b', name: 'B'},
  ];
  const ours = reading().raw;
  const pass = async (connectors: readonly JsonObject[], selection: Selection) => {
    const all = async ({atMost}: {atMost?: number} = {}) => connectors.slice(0, atMost);
    const client = {listConnectors: () => ({all})} as unknown as Client;
    return (await listSelected(client, selection, {now: () => 0})).selected;
  };

  it('may be fields to filter by that some connector has', async () => {
    const mixed = [...bare, {id: 'c', status: 'lost'}];
    expect(await pass(mixed, {status: ['lost']})).to.deep.equal([{id: 'c', status: 'lost'}]);
    expect(await pass(bare, {name: ['*']})).to.deep.equal(bare);
    expect(await pass([], {status: ['lost']})).to.deep.equal([]);
  });

  it('fails at the end of the list if no connector has the field to filter by', async () => {
    const error = await failure(() => pass(bare, {status: ['lost']}));
    expect(error.kind).to.equal('protocol');
    expect(error.message).to.equal(
      'Cannot filter by --status: no connector of this service has a readable status.',
    );
    expect(error.hint).to.match(/^See what the service returns with: .*connector list --json$/);
    const nameless = [{id: 'a'}];
    expect((await failure(() => pass(nameless, {name: ['*']}))).message).to.include('--name');
  });

  it('rejects a status unknown to the reference service, and suggests a similar one', async () => {
    const error = await failure(() => pass([ours], {status: ['Ofline']}));
    expect(error).to.include({kind: 'usage', message: 'No such status: Ofline'});
    expect(error.hint).to.match(/^Did you mean offline\? The statuses are: never, online, .*\.$/);
    expect((await failure(() => pass([ours], {status: ['broken']}))).hint).to.equal(
      'The statuses are: never, online, stale, offline, revoked.',
    );
    expect(await pass([ours], {status: ['ONLINE']})).to.have.length(1);
    expect((await failure(() => pass([ours], {status: ['offline', 'broken']}))).message).to.equal(
      'No such status: broken',
    );
  });

  it('rejects a filter by age when no connector has a last heartbeat, but not when it is null', async () => {
    const age = {'older-than': 1};
    expect((await failure(() => pass(bare, age))).message).to.include('--older-than');
    const never = [{id: 'a', last_heartbeat_at: null}];
    expect(await pass(never, age)).to.deep.equal([]);
  });

  const unread: readonly (readonly [string, Selection, JsonObject, string])[] = [
    [
      'last heartbeat',
      {'older-than': 1},
      {last_seen: 'a day ago'},
      '`last_seen` of connector b cannot be read: "a day ago"',
    ],
    [
      'last heartbeat in an object',
      {'older-than': 1},
      {heartbeat: {at: 'a day ago'}},
      '`heartbeat` of connector b cannot be read: "a day ago"',
    ],
    ['status', {status: ['lost']}, {state: 3}, '`state` of connector b cannot be read: 3'],
    ['name', {name: ['x']}, {name: {en: 'x'}}, '`name` of connector b cannot be read: {"en":"x"}'],
  ];
  for (const [what, selection, field, says] of unread) {
    it(`is an error where a connector has a ${what} that cannot be read, which a filter would leave out`, async () => {
      const others = [{id: 'a', name: 'n', status: 'up', last_seen: null}];
      const error = await failure(() => pass([...others, {id: 'b', ...field}], selection));
      expect(error.kind).to.equal('protocol');
      expect(error.message)
        .to.match(/^Cannot filter by --[a-z-]+: the `/)
        .and.satisfy((text: string) => text.endsWith(says));
      expect(error.hint).to.match(/^See what the service returns with: .* connector get b --json$/);
    });
  }

  it('rejects a field to show that no connector has', async () => {
    const racks = [...bare, {id: 'c', rack: 1}];
    expect(await pass(racks, {columns: ['id', 'rack']})).to.have.length(3);
    expect((await failure(() => pass(racks, {columns: ['rakc']}))).message).to.equal(
      'Cannot show rakc: no connector has this field.',
    );
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

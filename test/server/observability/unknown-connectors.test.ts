import {expect} from 'chai';
import {createIdFactory} from '../../../src/domain/ids.js';
import {minute} from '../../../src/domain/time.js';
import {UnknownConnectors} from '../../../src/server/observability/unknown-connectors.js';
import {eachWithService} from '../../support/server/service.js';
import {seededNumbers} from '../../support/values/random.js';

const newId = createIdFactory(seededNumbers('unknown'));
const ids = (count: number) => Array.from({length: count}, () => newId('con', 1));

describe('the unknown connectors of a service', () => {
  let unknown: UnknownConnectors;
  beforeEach(() => {
    unknown = new UnknownConnectors();
  });
  const call = (all: readonly string[], at: number) => {
    for (const id of all) unknown.record(id, at, '192.0.2.7');
  };
  const known = (now: number) => unknown.current(now).map(({id}) => id);

  it('are each there once, with the times of the first and the last heartbeat, and the last address', () => {
    const [one = '', other = ''] = ids(2);
    unknown.record(one, 0, '192.0.2.1');
    unknown.record(other, minute, '192.0.2.2');
    unknown.record(one, 2 * minute, '192.0.2.3');
    const [first, second, ...rest] = unknown.current(2 * minute);
    expect(first).to.include({id: other, firstAt: minute, lastAt: minute, address: '192.0.2.2'});
    expect(second).to.include({id: one, firstAt: 0, lastAt: 2 * minute, address: '192.0.2.3'});
    expect(rest).to.deep.equal([]);
  });

  it('are forgotten an hour after their last heartbeat', () => {
    const [one = '', other = ''] = ids(2);
    call([one, other], 0);
    call([one], minute);
    expect(known(60 * minute)).to.deep.equal([other, one]);
    expect(known(60 * minute + 1)).to.deep.equal([one]);
    expect(known(61 * minute + 1)).to.deep.equal([]);
  });

  it('are all of 500 within one interval, and at most 1,000', () => {
    const lost = ids(500);
    call(lost, 0);
    expect(known(0)).to.deep.equal(lost);
    call(ids(2000), 1);
    expect(known(1)).to.have.length(1000).and.include.members(lost);
  });

  it('stay while a scan sends a hundred thousand random ids', () => {
    const lost = ids(500);
    call(lost, 0);
    call(ids(100_000), 1);
    expect(known(1)).to.have.length(1000).and.include.members(lost);
  });

  it('replace the ids of a scan that was there first, once they call again', () => {
    const lost = ids(500);
    call(ids(2000), 0);
    for (let round = 1; round <= 5; round += 1) {
      call(lost, round * minute);
      call(ids(10_000), round * minute + 1);
    }
    expect(known(6 * minute))
      .to.have.length(1000)
      .and.include.members(lost);
  });

  it('are a thousand of more that call again and again', () => {
    const all = ids(1500);
    for (let round = 0; round < 3; round += 1) call(all, round);
    expect(known(3)).to.have.length(1000);
    expect(all).to.include.members(known(3));
  });

  it('have ids that a store can have', () => {
    call(['', 'con_', 'ck_secret', 'con_x', '../con_01ARZ3NDEKTSV4RRFFQ69G5FAV'], 0);
    expect(known(0)).to.deep.equal([]);
  });
});

describe('a refused heartbeat', () => {
  const unknown = new UnknownConnectors();
  const suite = eachWithService({unknown});
  const [id = ''] = ids(1);
  const gauge = () => suite.service.metric('connectorctl_unknown_connectors');

  it('is of an unknown connector if the store has no such id or another key for it', async () => {
    const {service} = suite;
    const one = await service.connector('web-1');
    const other = await service.connector('web-2');
    for (const [target, key] of [
      [one.id, one.key],
      [id, 'ck_x'],
      [id, null],
      ['con_x', service.key],
    ] as const)
      await service.call('heartbeat', {id: target, key});
    expect(await gauge()).to.equal(0);
    await service.call('heartbeat', {id, key: one.key, address: '192.0.2.7'});
    await service.call('heartbeat', {id, address: '192.0.2.8'});
    expect(await gauge()).to.equal(1);
    expect(unknown.current(service.time)[0]).to.include({id, address: '192.0.2.8'});
    await service.call('heartbeat', {id: other.id, key: one.key});
    expect(await gauge()).to.equal(2);
    service.time += 61 * minute;
    expect(await gauge()).to.equal(0);
  });

  it('of a connector whose key was revoked is none of an unknown one', async () => {
    const {service} = suite;
    const {id: revoked, key} = await service.connector();
    await service.store.revokeConnector(revoked, service.time, null);
    const {statusCode} = await service.call('heartbeat', {id: revoked, key});
    expect(statusCode).to.equal(401);
    expect(unknown.current(service.time).map((one) => one.id)).not.to.include(revoked);
  });
});

import {expect} from 'chai';
import {timestamp} from '../../../src/domain/timestamp.js';
import type {ConnectorRules, StoreAdmin} from '../../../src/server/admin/admin.js';
import {storeAdmin} from '../../../src/server/admin/admin.js';
import {keepingLog} from '../../support/server/logs.js';
import {Service} from '../../support/server/service.js';
import {activate} from '../../support/store/samples.js';

const minute = 60_000;

describe('the life of the connectors of a store', () => {
  const {log, lines} = keepingLog();
  let service: Service;
  let life: StoreAdmin;
  beforeEach(async () => {
    lines.length = 0;
    service = await new Service({log}).start();
    const {store, runtime} = service;
    life = storeAdmin(store, log, {runtime, tokenTtl: 120});
  });

  const select = async (rules: ConnectorRules, organization = 'acme'): Promise<string[]> =>
    (await life.select(organization, rules, '')).connectors.map(({name}) => name);
  const audited = (event: string) =>
    lines.filter(({fields}) => fields['audit'] === event).map(({fields}) => fields);
  const codeOf = async (operation: 'get' | 'heartbeat', id: string, key: string) => {
    const response = await service.call(operation, {id, key});
    return response.statusCode === 200 ? 200 : response.json().code;
  };

  it('are selected by name, silence and organization, which all have to hold', async () => {
    const acme = await service.addKey('acme');
    for (const [name, key] of [
      ['web-1', service.key],
      ['web-2', acme],
      ['db-1', acme],
      ['never', acme],
    ] as const) {
      const {id} = await service.connector(name, {key});
      if (name !== 'never') await service.call('heartbeat', {id, key});
      service.time += minute;
    }
    expect(await select({})).to.deep.equal(['web-2', 'db-1', 'never']);
    expect(await select({names: ['web-*', 'n*']})).to.deep.equal(['web-2', 'never']);
    expect(await select({silentFor: 3 * minute - 1})).to.deep.equal(['web-2']);
    expect(await select({silentFor: minute, names: ['*-1']})).to.deep.equal(['db-1']);
    expect(await select({}, 'unknown')).to.deep.equal([]);
  });

  it('are selected page by page of 5,000', async () => {
    const connector = await activate(service.store);
    const ids = Array.from({length: 5000}, (_, count) => `con_X${String(count).padStart(25, '0')}`);
    service.store.state.apply({connectors: ids.map((id) => ({...connector, id}))});
    const first = await life.select('acme', {names: ['*']}, '');
    expect(first.connectors).to.have.length(5000);
    expect(first.next).to.equal(first.connectors.at(-1)?.id);
    const last = await life.select('acme', {}, first.next ?? '');
    expect([last.connectors.length, last.next]).to.deep.equal([1, null]);
  });

  it('ends with a removal, which is an audit record, for every request and every token', async () => {
    const [gone, kept] = [await service.connector('a'), await service.connector('b')];
    const [removed] = await life.remove([gone.id, 'con_unknown'], null);
    expect(removed).to.include({id: gone.id, name: 'a', organization: 'default'});
    expect(JSON.stringify(removed)).not.to.match(/hash/i);
    expect(audited('connector_removed')).to.deep.equal([
      {audit: 'connector_removed', connector_id: gone.id, organization: 'default'},
    ]);
    expect(await codeOf('get', gone.id, service.key)).to.equal('connector_unknown');
    expect(await codeOf('get', gone.id, gone.key)).to.equal('key_unknown');
    expect(await codeOf('heartbeat', gone.id, gone.key)).to.equal('key_unknown');
    expect(await codeOf('heartbeat', kept.id, kept.key)).to.equal(200);
    expect(await service.metric('connectorctl_connectors\\{.*\\}')).to.equal(1);
    expect(await life.find([gone.id, kept.id])).to.have.length(1);
  });

  it('continues with a new key by a token of the usual lifetime, which ends the old key', async () => {
    const {id, key} = await service.connector('before');
    const {token, expiresAt, connector} = await life.reissue(id, false);
    expect([expiresAt, connector.id]).to.deep.equal([service.time + 120_000, id]);
    expect(audited('connector_reissued')).to.deep.equal([
      {
        audit: 'connector_reissued',
        connector_id: id,
        organization: 'default',
        expires_at: '2026-01-01T00:02:00.000Z',
      },
    ]);
    const activation = {body: {token, name: 'after'}, headers: {'idempotency-key': 'once'}};
    const response = await service.call('activate', activation);
    expect(response.statusCode).to.equal(201);
    const {api_key: renewed, ...body} = response.json();
    expect(body).to.include({id, name: 'after'});
    expect(renewed).not.to.equal(key);
    expect(audited('activation_accepted').at(-1)).to.include({
      connector_id: id,
      outcome: 'reissued',
    });
    expect((await service.call('activate', activation)).json().api_key).to.equal(renewed);
    expect(await codeOf('heartbeat', id, key)).to.equal('key_revoked');
    expect(await codeOf('get', id, key)).to.equal('key_revoked');
    expect(await codeOf('get', id, renewed)).to.equal(200);
    expect((await service.call('activate', activation)).json().api_key).to.equal(renewed);
  });

  it('can be interrupted until the new key is there, with a reason in the list of keys', async () => {
    const {id, key} = await service.connector();
    const {connector} = await life.reissue(id, true);
    expect(connector.revoked_at).to.equal(timestamp(service.time));
    expect(await codeOf('heartbeat', id, key)).to.equal('key_revoked');
    expect(audited('connector_key_revoked')).to.deep.equal([
      {
        audit: 'connector_key_revoked',
        connector_id: id,
        organization: 'default',
        reason: 'reissued',
      },
    ]);
    service.time += 1;
    await life.reissue(id, true);
    expect(audited('connector_key_revoked')).to.have.length(1);
  });
});

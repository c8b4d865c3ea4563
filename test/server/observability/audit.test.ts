import {expect} from 'chai';
import {limits} from '../../../src/contract/index.js';
import {formatSecret} from '../../../src/domain/secret.js';
import {Service} from '../../support/server/service.js';

describe('audit records', () => {
  let service: Service;
  beforeEach(async () => {
    service = await new Service().start();
  });

  const records = () =>
    service.lines.filter(({message}) => message === 'audit').map(({fields}) => fields);

  it('show who created a token', async () => {
    const response = await service.call('createToken', {address: '192.0.2.1'});
    const [key] = await service.store.listApiKeys();
    expect(records()).to.deep.equal([
      {
        audit: 'token_created',
        request_id: response.headers['x-request-id'],
        address: '192.0.2.1',
        organization: 'default',
        key_id: key?.id,
        expires_at: response.json().expires_at,
      },
    ]);
  });

  it('show which activation was accepted, and that it was repeated', async () => {
    const options = {
      body: {token: await service.token(), name: 'x'},
      headers: {'idempotency-key': 'once'},
      address: '192.0.2.1',
    };
    const {id} = (await service.call('activate', options)).json();
    await service.call('activate', options);
    const [, first, second] = records();
    expect(first).to.include({
      audit: 'activation_accepted',
      organization: 'default',
      connector_id: id,
      outcome: 'redeemed',
      address: '192.0.2.1',
    });
    expect(second).to.include({connector_id: id, outcome: 'repeated'});
  });

  it('show why an activation was refused', async () => {
    const token = await service.token();
    const attempt = (sent: string) => service.call('activate', {body: {token: sent, name: 'x'}});
    await attempt(token);
    await attempt(token);
    await attempt('act_x');
    await attempt(formatSecret('activationToken', new Uint8Array(32)));
    const refused = records().filter(({audit}) => audit === 'activation_refused');
    expect(refused.map(({reason}) => reason)).to.deep.equal([
      'token_used',
      'token_malformed',
      'token_unknown',
    ]);
    expect(refused[0]).to.include.keys('request_id', 'address');
  });

  it('omit guesses beyond the limit', async () => {
    const guess = {body: {token: 'act_x', name: 'x'}};
    for (let count = 0; count < limits.activationFailureLimit + 5; count += 1) {
      await service.call('activate', guess);
    }
    expect(records()).to.have.length(limits.activationFailureLimit);
  });
});

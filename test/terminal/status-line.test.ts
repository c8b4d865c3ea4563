import {expect} from 'chai';
import {liveChild} from '../support/live-child.js';
import {slowService} from '../support/slow-service.js';
import {closeTerminals, openTerminal} from '../support/terminal.js';
import {closeThirdPartyServices} from '../support/third-party-service.js';

describe('the status line', () => {
  afterEach(async () => {
    await closeTerminals();
    await closeThirdPartyServices();
  });

  it('is not written without a terminal', async () => {
    const {env, response} = await slowService();
    const child = liveChild(['connector', 'get', 'a', '--wait', 'online'], {env});
    await response({id: 'a', status: 'never'});
    await response({id: 'a', status: 'never'});
    await response({id: 'a', status: 'online'});
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(child.stderr()).to.equal('');
  });

  it('shows after a second what the command waits for, and disappears before the result', async () => {
    const {url, env, response} = await slowService();
    const terminal = openTerminal(['token', 'create'], {env});
    await terminal.until(new RegExp(`^Waiting for ${url} … \\ds$`));
    await response({token: 't0ken', expires_at: '2099-01-01T00:00:00Z'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.screen()[0]).to.equal('t0ken');
    expect(terminal.screen().join()).not.to.include('Waiting');
  });
});

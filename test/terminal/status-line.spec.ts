import {expect} from 'chai';
import {openTerminal} from '../support/process/terminal.js';
import {slowService} from '../support/services/slow.js';

describe('the status line', () => {
  it('fits in one line of a narrow terminal', async () => {
    const {env, response} = await slowService();
    const terminal = openTerminal(['connector', 'get', 'a'], {env, columns: 20});
    await terminal.until(/^Waiting for http:\S+$/);
    expect(terminal.screen()).to.have.length(1);
    await response({id: 'a'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.screen()[0]).to.match(/^ID: +a$/);
  });

  it('shows the status that --wait waits for', async () => {
    const {env, response} = await slowService();
    const wait = ['connector', 'get', 'a', '--wait', 'online'];
    const terminal = openTerminal(wait, {env});
    await response({id: 'a', status: 'st\u001bale'});
    await terminal.until(/^Waiting for a to be online, it is st\\x1bale … \ds$/);
    await response({id: 'a', status: 'online'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.screen()[0]).to.match(/^ID: +a$/);
  });

  for (const variable of [{CI: 'true'}, {TERM: 'dumb'}]) {
    it(`is not written with ${JSON.stringify(variable)}`, async () => {
      const {env, response} = await slowService();
      const wait = ['connector', 'get', 'a', '--wait', 'online'];
      const terminal = openTerminal(wait, {env: {...env, ...variable}});
      await response({id: 'a', status: 'never'});
      await response({id: 'a', status: 'never'});
      await response({id: 'a', status: 'online'});
      expect(await terminal.ended).to.include({code: 0});
      expect(terminal.written()).to.match(/^ID: +a\r\n/);
    });
  }

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

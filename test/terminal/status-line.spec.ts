import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {expect} from 'chai';
import {slowService} from '../support/slow-service.js';
import {root} from '../support/sources.js';
import {closeTerminals, openTerminal} from '../support/terminal.js';
import {closeThirdPartyServices} from '../support/third-party-service.js';

const esc = '\x1b';
const clear = `\r${esc}[K`;
/** Matches the status line with its escape sequences. */
const anyLine = new RegExp(`\r${esc}\\[K${esc}\\[\\?7l(.*?)${esc}\\[\\?7h`, 'g');

describe('the status line', () => {
  afterEach(async () => {
    await closeTerminals();
    await closeThirdPartyServices();
  });

  it('fits in one line of a narrow terminal', async () => {
    const {env, response} = await slowService();
    const terminal = openTerminal(['connector', 'get', 'a', '-o', 'id'], {env, columns: 20});
    await terminal.until(/^Waiting for http:\S+$/);
    expect(terminal.screen()).to.have.length(1);
    await response({id: 'a'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.screen()).to.deep.equal(['a']);
  });

  it('is not written when the response arrives immediately', async () => {
    const {env, response} = await slowService();
    const NODE_OPTIONS = `--require "${join(root, 'test/support/long-intervals.cjs')}"`;
    const terminal = openTerminal(['connector', 'get', 'a', '-o', 'id'], {
      env: {...env, NODE_OPTIONS},
    });
    await response({id: 'a'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.written()).to.equal('a\r\n');
  });

  it('is shown until a long list is there, and never mixes with the output', async () => {
    const {env, begin} = await slowService();
    const terminal = openTerminal(['connector', 'list', '-o', 'id'], {env});
    const ids = Array.from({length: 200}, (_, index) => `con_${index}`);
    const elements = ids.map((id) => JSON.stringify({id, name: 'n'.repeat(10_000)}));
    const response = await begin(`[${elements.join()}`);
    await terminal.until(/Waiting for \S+ … \ds/);
    response.end(']');
    expect(await terminal.ended).to.include({code: 0});
    const shown = terminal.written().replace(anyLine, '').replaceAll(clear, '');
    expect(shown.trimEnd().split('\r\n')).to.deep.equal(ids);
  });

  it('shows the status that --wait waits for', async () => {
    const {env, response} = await slowService();
    const wait = ['connector', 'get', 'a', '--wait', 'online', '-o', 'id'];
    const terminal = openTerminal(wait, {env});
    await response({id: 'a', status: 'st\u001bale'});
    await terminal.until(/^Waiting for a to be online, it is st\\x1bale … \ds$/);
    await response({id: 'a', status: 'online'});
    expect(await terminal.ended).to.include({code: 0});
    expect(terminal.screen()).to.deep.equal(['a']);
  });

  for (const words of ['key list --store', 'store copy ./nowhere']) {
    it(`shows that ${words} waits for a store`, async () => {
      const silent = createServer();
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      try {
        const {port} = silent.address() as AddressInfo;
        const database = `postgres://u@127.0.0.1:${port}/db`;
        const argv = [...words.replace('./nowhere', database).split(' '), database];
        const terminal = openTerminal(argv, {columns: 200});
        await terminal.until(/^(Waiting for the store|Opening the stores) … \ds$/m);
        // Log lines replace the status line; they are not appended to it.
        await terminal.until(/(waiting for the database|Error: The database at)/);
        expect(terminal.screen().join('\n')).not.to.match(/ … \ds\S|ds ?\[/);
      } finally {
        await closeTerminals();
        silent.close();
      }
    });
  }

  for (const variable of [{CI: 'true'}, {TERM: 'dumb'}]) {
    it(`is not written with ${JSON.stringify(variable)}`, async () => {
      const {env, response} = await slowService();
      const wait = ['connector', 'get', 'a', '--wait', 'online', '-o', 'id'];
      const terminal = openTerminal(wait, {env: {...env, ...variable}});
      await response({id: 'a', status: 'never'});
      await response({id: 'a', status: 'never'});
      await response({id: 'a', status: 'online'});
      expect(await terminal.ended).to.include({code: 0});
      expect(terminal.written()).to.equal('a\r\n');
    });
  }
});

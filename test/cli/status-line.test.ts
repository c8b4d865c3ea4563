import {EventEmitter, once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {expect} from 'chai';
import {closeForeignServices, foreignService} from '../support/foreign-service.js';
import {liveChild} from '../support/live-child.js';
import {hasPty, killPtyChildren, ptyChild} from '../support/pty.js';

const esc = '\x1b';
const clear = `\r${esc}[K`;
const shownEnd = `${esc}[?7h`;
/** The line as it is shown, text in the middle. */
const anyLine = new RegExp(`\r${esc}\\[K${esc}\\[\\?7l(.*?)${esc}\\[\\?7h`, 'g');

/** A service that answers when the test says so. */
async function slowService() {
  const requests = new EventEmitter();
  const waiting: ServerResponse[] = [];
  const {url} = await foreignService((_, response) => {
    waiting.push(response);
    requests.emit('request');
  });
  const next = async () => {
    if (waiting.length === 0) await once(requests, 'request');
    return waiting.shift()!;
  };
  return {
    url,
    env: {CONNECTORCTL_BASE_URL: url},
    answer: async (body: unknown) => (await next()).end(JSON.stringify(body)),
    begin: async (text: string) => {
      const response = await next();
      response.write(text);
      return response;
    },
  };
}

describe('status line', () => {
  afterEach(async () => {
    await killPtyChildren();
    await closeForeignServices();
  });

  it('is not written where there is no terminal', async () => {
    const {env, answer} = await slowService();
    const child = liveChild(['connector', 'get', 'a', '--wait', 'online'], {env});
    await answer({id: 'a', status: 'never'});
    await answer({id: 'a', status: 'never'});
    await answer({id: 'a', status: 'online'});
    expect(await child.ended()).to.deep.equal({code: 0, signal: null});
    expect(child.stderr()).to.equal('');
  });

  if (!hasPty) return;

  it('says what is waited for after a second, and is gone before the result', async () => {
    const {url, env, answer} = await slowService();
    const child = ptyChild(['token', 'create'], {env});
    await child.until(/Waiting for \S+ … 1s/);
    await child.until(/Waiting for \S+ … 2s/);
    await answer({token: 't0ken', expires_at: '2099-01-01T00:00:00Z'});
    expect(await child.ended()).to.equal(0);
    const [, first, rest] = child.screen().split(anyLine);
    expect(first).to.match(new RegExp(`^Waiting for ${url} … \\ds$`));
    expect(rest).to.equal('');
    expect(child.screen()).to.include(`${shownEnd}${clear}t0ken\r\n`);
  });

  it('is not written when the answer comes at once', async () => {
    const {env, answer} = await slowService();
    const child = ptyChild(['connector', 'get', 'a', '-o', 'id'], {env});
    await answer({id: 'a'});
    expect(await child.ended()).to.equal(0);
    expect(child.screen()).to.equal('a\r\n');
  });

  it('counts a long list while it comes, and never stands among its lines', async () => {
    const {env, begin} = await slowService();
    const child = ptyChild(['connector', 'list', '-o', 'ndjson'], {env});
    const elements = Array.from({length: 20_000}, (_, id) => JSON.stringify({id, name: 'n'}));
    const response = await begin(`[${elements.join()}`);
    await child.until(/Waiting for \S+, \d+ connectors so far … \ds/);
    response.end(']');
    expect(await child.ended()).to.equal(0);
    const shown = child.screen().replace(anyLine, '').replaceAll(clear, '');
    expect(shown.trimEnd().split('\r\n')).to.deep.equal(elements);
  });

  it('tells what --wait waits for', async () => {
    const {env, answer} = await slowService();
    const child = ptyChild(['connector', 'get', 'a', '--wait', 'online', '-o', 'id'], {env});
    await answer({id: 'a', status: 'st\u001bale'});
    await child.until(/Waiting for a to be online, it is st\\x1bale … \ds/);
    await answer({id: 'a', status: 'online'});
    expect(await child.ended()).to.equal(0);
    expect(child.screen().endsWith(`${clear}a\r\n`)).to.equal(true);
  });

  for (const variable of [{CI: 'true'}, {TERM: 'dumb'}]) {
    it(`is not written with ${JSON.stringify(variable)}`, async () => {
      const {env, answer} = await slowService();
      const wait = ['connector', 'get', 'a', '--wait', 'online', '-o', 'id'];
      const child = ptyChild(wait, {env: {...env, ...variable}});
      await answer({id: 'a', status: 'never'});
      await answer({id: 'a', status: 'never'});
      await answer({id: 'a', status: 'online'});
      expect(await child.ended()).to.equal(0);
      expect(child.screen()).to.equal('a\r\n');
    });
  }
});

import {existsSync, readFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {program} from '../../support/process/child.js';
import {openProgram, openTerminal} from '../../support/process/terminal.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, thirdPartyService} from '../../support/third-party.js';
import {reading} from '../../support/values/render.js';

const a = reading({id: 'a', name: 'one', status: 'online'});
const b = reading({id: 'b', name: 'two\x1b[2J', status: 'never'});
const watching = ['connector', 'list', '--watch', '--interval', '500ms'];

describe('the process of connector list --watch', () => {
  const at = temporaryDirectory();
  const service = async (...lists: Parameters<typeof json>[]) => {
    const {url} = await thirdPartyService(inTurn(...lists.map((list) => json(...list))));
    return {env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'}};
  };

  it('is refused on a terminal that cannot be cleared', async () => {
    const {env} = await service([[a.raw]]);
    const terminal = openTerminal(watching, {env: {...env, TERM: 'dumb'}});
    expect(await terminal.ended).to.include({code: 2});
  });

  it('is refused for a format other than a table', async () => {
    const {env} = await service([[a.raw]]);
    const terminal = openTerminal([...watching, '-o', 'csv'], {env});
    expect(await terminal.ended).to.include({code: 2});
    expect(terminal.screen().join(' ')).to.include('--watch has no output format csv.');
  });

  const ends = [
    ['SIGINT', {code: 0, signal: undefined}],
    ['SIGTERM', {code: 0, signal: undefined}],
    ['SIGHUP', {code: 0, signal: 1}],
  ] as const;

  for (const [signal, end] of ends) {
    it(`shows the list on a terminal until ${signal}, and leaves the last one there`, async () => {
      const {env} = await service([[a.raw]]);
      const terminal = openTerminal(watching, {env});
      await terminal.until(/1 connector\. Ctrl-C ends\./);
      terminal.kill(signal);
      expect(await terminal.ended).to.deep.equal(end);
      expect(terminal.screen()[0]).to.match(/^ID .* LAST HEARTBEAT$/);
      expect(terminal.written()).not.to.match(/\[\?(1049|25|7)/);
    });
  }

  for (const [signal, end] of ends) {
    it(`ends in the same way at ${signal} while a request waits for its response`, async () => {
      const {url, requested} = await thirdPartyService(inTurn(json([a.raw]), () => undefined));
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
      const terminal = openTerminal(watching, {env});
      await requested(2);
      terminal.kill(signal);
      expect(await terminal.ended).to.deep.equal(end);
      expect(terminal.screen().join('\n')).not.to.match(/Error|Interrupted/);
    });
  }

  it('ends as at SIGHUP when its terminal goes without one', async () => {
    const {env} = await service([[a.raw]]);
    const status = at('status');
    // In a session of its own no signal says that the terminal has gone.
    const command = ['setsid', '-w', 'sh', '-c', '"$@"; echo $? > "$STATUS"', 'sh'];
    const terminal = openProgram([...command, ...program, ...watching], {
      env: {...env, STATUS: status},
    });
    await terminal.until(/1 connector\. Ctrl-C ends\./);
    terminal.hangUp();
    const code = () => (existsSync(status) ? readFileSync(status, 'utf8') : '');
    while (code() === '') await sleep(20);
    expect(code()).to.equal('129\n');
  });

  it('writes a permanent error below the list', async () => {
    const {env} = await service([[a.raw]], [{}, 403]);
    const terminal = openTerminal(watching, {env});
    expect(await terminal.ended).to.include({code: 3});
    expect(terminal.screen().join('\n')).to.match(/^Error: Cannot list the connectors: .* 403/m);
  });

  it('keeps the last list and shows the error while the service is unavailable', async () => {
    const {env} = await service([[a.raw]], [{message: 'b\u001by'}, 500], [[a.raw, b.raw]]);
    const terminal = openTerminal([...watching, '--retries', '0'], {env, columns: 160});
    await terminal.until(/a {2}.*one.*500 Internal Server Error: b\\x1by.*1 connector, as of/s);
    await terminal.until(/two\\x1b\[2J.*2 connectors\. Ctrl-C/s);
  });

  it('fits the list to the terminal, the worst first, also after a change of its size', async () => {
    const connectors = Array.from({length: 30}, (_, index) => ({
      id: `con_${index}`,
      name: 'x'.repeat(50),
      status: index === 29 ? 'offline' : 'online',
    }));
    const {env} = await service([connectors]);
    const terminal = openTerminal([...watching.slice(0, 3), '--interval', '500ms'], {
      env,
      columns: 100,
      rows: 20,
    });
    await terminal.until(/… 12 more of 30 connectors/);
    terminal.resize(100, 6);
    await terminal.until(/… 26 more of 30 connectors: 1 offline, 29 online/);
    expect(terminal.screen().slice(-6)[0]).to.match(/^ID /);
    expect(terminal.screen().slice(-6)[1]).to.match(/^con_29 /);
  });
});

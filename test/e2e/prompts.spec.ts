import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {expect} from 'chai';
import {joinWord} from '../../src/connector/activate/join.js';
import {openTerminal, type TerminalSession} from '../support/process/terminal.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {activationToken, connectorKey, organizationKey} from '../support/values/secrets.js';

const token = activationToken();
const activate = ['connector', 'activate'];
const ctrlC = '\x03';

/** Answers no to the offer to save the credential. */
async function refuseFile(terminal: TerminalSession): Promise<void> {
  await terminal.until(/Save the credential to \S+\.json\?/);
  terminal.type('n\r');
}

describe('prompts in a terminal', () => {
  const at = temporaryDirectory();
  const service = () =>
    thirdPartyService(json({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201));

  it('ask for token and name, and leave stdout for the result', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url};
    const terminal = openTerminal([...activate, '--json'], {env, stdout: at('out')});
    await terminal.until(/Activation token/);
    terminal.type(`${token}\r`);
    await terminal.until(/Name of the connector/);
    terminal.type('web-1\r');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
    expect(seen.map(({body}) => JSON.parse(body))).to.deep.equal([{token, name: 'web-1'}]);
    expect(JSON.parse(readFileSync(at('out'), 'utf8'))).to.include({id: 'con_1'});
    expect(terminal.written()).not.to.include(token).and.not.include('act_');
    expect(terminal.screen()).to.deep.equal([
      `✔ Activation token ${'*'.repeat(token.length)}`,
      '✔ Name of the connector web-1',
    ]);
  });

  for (const CI of ['', '0', 'false']) {
    it(`are shown where the variable CI is "${CI}"`, async () => {
      const {url} = await service();
      const terminal = openTerminal(activate, {env: {CONNECTORCTL_BASE_URL: url, CI}});
      await terminal.until(/Activation token/);
      terminal.type('\x03');
      expect(await terminal.ended).to.include({code: 130});
    });
  }

  it('suggest the host name as connector name, and accept it with Enter', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: token};
    // Wide enough for any host name.
    const terminal = openTerminal(activate, {env, columns: 300});
    await terminal.until(/Name of the connector \(.*\)/);
    expect(terminal.screen()[0]).to.equal(`? Name of the connector (${hostname()})`);
    terminal.type('\r');
    await refuseFile(terminal);
    expect(await terminal.ended).to.include({code: 0});
    expect(JSON.parse(seen[0]!.body)).to.deep.equal({token, name: hostname()});
  });

  it('ask again for a mistyped token before anything is sent', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_CONNECTOR_NAME: 'web-1'};
    const terminal = openTerminal(activate, {env});
    await terminal.until(/Activation token/);
    terminal.type('\r');
    await terminal.until(/Please enter a value/);
    terminal.type(`${token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}\r`);
    await terminal.until(/mistyped\. Press Ctrl-U to clear it/);
    terminal.type('\x15');
    terminal.type(`${organizationKey()}\r`);
    await terminal.until(/That is an API key/);
    expect(seen).to.deep.equal([]);
    terminal.type('\x15');
    terminal.type(`${token}\r`);
    await refuseFile(terminal);
    expect(await terminal.ended).to.include({code: 0});
    expect(seen.map(({body}) => JSON.parse(body).token)).to.deep.equal([token]);
  });

  it('refuse a join word of another service than the base URL before they ask for a name', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url};
    const word = joinWord('https://other.example', token);
    for (const file of [[], ['--credentials-file', at('web-1.json')]]) {
      const terminal = openTerminal([...activate, ...file], {env, columns: 300});
      await terminal.until(/Activation token/);
      terminal.type(`${word}\r`);
      expect(await terminal.ended).to.include({code: 2});
      const shown = terminal.screen().join(' ');
      expect(shown).to.include(`The token is for https://other.example, not for ${url}`);
      expect(shown).not.to.include('Name of the connector');
    }
    expect(seen).to.deep.equal([]);
  });

  it('take a join word that a chat broke, and show its address before anything is sent', async () => {
    const {url, seen} = await service();
    const word = joinWord(`${url}/team-a`, token);
    const terminal = openTerminal(activate);
    await terminal.until(/Activation token/);
    terminal.type(`${word.slice(0, 40)}\r${word.slice(40)}\r`);
    await terminal.until(/Name of the connector/);
    expect(terminal.screen().join(' ')).to.include(`The token is for ${url}/team-a.`);
    expect(seen).to.deep.equal([]);
    terminal.type('web-1\r');
    await refuseFile(terminal);
    expect(await terminal.ended).to.include({code: 0});
    expect(seen.map(({path, body}) => [path, JSON.parse(body)])).to.deep.equal([
      ['/team-a/api/connectors/activate', {token, name: 'web-1'}],
    ]);
  });

  describe('offer to save the credential', () => {
    const start = async () => {
      const {url, seen} = await service();
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: token};
      const terminal = openTerminal([...activate, '--name', 'web 1/b'], {
        env,
        prepare: `cd '${at()}'`,
      });
      return {terminal, seen};
    };

    it('to a file that only its owner can read, and then do not show it', async () => {
      const {terminal} = await start();
      await terminal.until(/Save the credential to web-1-b\.json\?/);
      terminal.type('\r');
      expect(await terminal.ended).to.include({code: 0});
      expect(terminal.written())
        .to.include('The credential is in web-1-b.json.')
        .and.include('--credentials-file web-1-b.json')
        .and.not.include(connectorKey());
      expect(JSON.parse(readFileSync(at('web-1-b.json'), 'utf8'))).to.include({
        api_key: connectorKey(),
      });
      expect(statSync(at('web-1-b.json')).mode & 0o777).to.equal(0o600);
    });

    it('and show it when the answer is no, or when there is such a file', async () => {
      const {terminal} = await start();
      await refuseFile(terminal);
      expect(await terminal.ended).to.include({code: 0});
      expect(terminal.written()).to.include(connectorKey());
      expect(readdirSync(at())).to.deep.equal([]);
      writeFileSync(at('web-1-b.json'), 'mine');
      const second = (await start()).terminal;
      expect(await second.ended).to.include({code: 0});
      expect(second.written()).to.include(connectorKey()).and.not.include('Save the credential to');
      expect(readFileSync(at('web-1-b.json'), 'utf8')).to.equal('mine');
    });
  });

  it('exit 130 on Ctrl-C and change nothing', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url};
    const into = [...activate, '--credentials-file', at('web-1.json')];
    for (const typed of [[], [`${token}\r`]]) {
      const terminal = openTerminal(into, {env});
      await terminal.until(/Activation token/);
      for (const text of typed) terminal.type(text);
      if (typed.length > 0) await terminal.until(/Name of the connector/);
      terminal.type(ctrlC);
      expect(await terminal.ended).to.deep.equal({code: 130, signal: undefined});
      expect(terminal.screen().at(-1)).to.equal('Error: Canceled; nothing was changed.');
      expect(terminal.written()).not.to.include(token);
      // The cursor is visible again.
      expect(terminal.written().lastIndexOf('\x1b[?25h')).to.be.at.least(
        terminal.written().lastIndexOf('\x1b[?25l'),
      );
    }
    expect(seen).to.deep.equal([]);
    expect(readdirSync(at())).to.deep.equal([]);
  });

  it('exit 143 on SIGTERM', async () => {
    const terminal = openTerminal(activate);
    await terminal.until(/Activation token/);
    terminal.type('abc');
    await terminal.until(/\*\*\*/);
    terminal.kill('SIGTERM');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: 15});
    expect(terminal.screen().at(-1)).to.equal('Error: Canceled; nothing was changed.');
  });

  it('end as SIGHUP does when it arrives, and when their terminal is closed', async () => {
    for (const hangUp of [
      ({kill}: TerminalSession) => kill('SIGHUP'),
      (terminal: TerminalSession) => terminal.hangUp(),
    ]) {
      const terminal = openTerminal(activate);
      await terminal.until(/Activation token/);
      hangUp(terminal);
      expect(await terminal.ended).to.deep.equal({code: 0, signal: 1});
    }
  });

  it('write one JSON object on Ctrl-C under --json', async () => {
    const terminal = openTerminal([...activate, '--json'], {stdout: at('out')});
    await terminal.until(/Activation token/);
    terminal.type(ctrlC);
    expect(await terminal.ended).to.include({code: 130});
    expect(JSON.parse(readFileSync(at('out'), 'utf8'))).to.deep.equal({
      error: {kind: 'cancelled', exit_code: 130, message: 'Canceled; nothing was changed.'},
    });
  });

  it('are not shown when they are disabled or when the command cannot succeed', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url};
    const forbidden = [
      [['--no-input'], {}, '--token-file'],
      [[], {CI: 'true'}, '--token-file'],
      [[], {CI: '1', CONNECTORCTL_ACTIVATION_TOKEN: token}, '--name'],
      [['--credentials-file', '/dev/null'], {}, '/dev/null cannot be read'],
    ] as const;
    await Promise.all(
      forbidden.map(async ([flags, variables, said]) => {
        const terminal = openTerminal([...activate, ...flags], {env: {...env, ...variables}});
        expect(await terminal.ended).to.include({code: 2});
        expect(terminal.screen().join(' ')).to.include(said).and.not.include('?');
      }),
    );
    expect(seen).to.deep.equal([]);
  });
});

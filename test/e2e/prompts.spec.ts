import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {expect} from 'chai';
import {program} from '../support/child.js';
import {savedCredentials} from '../support/credentials.js';
import {activationToken, connectorKey, organizationKey} from '../support/secrets.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {
  closeTerminals,
  openProgram,
  openTerminal,
  type TerminalSession,
} from '../support/terminal.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

const token = activationToken();
const activate = ['connector', 'activate'];
const ctrlC = '\x03';
const ctrlD = '\x04';

/** Answers no to the offer to save the credential. */
async function refuseFile(terminal: TerminalSession): Promise<void> {
  await terminal.until(/Save the credential to \S+\.json\?/);
  terminal.type('n\r');
}

describe('prompts in a terminal', () => {
  const at = temporaryDirectory();
  const service = () =>
    thirdPartyService(json({id: 'con_1', name: 'web-1', api_key: connectorKey()}, 201));

  afterEach(async () => {
    await closeTerminals();
    await closeThirdPartyServices();
  });

  for (const columns of [80, 40]) {
    it(`ask for token and name on ${columns} columns, and leave stdout for the result`, async () => {
      const {url, seen} = await service();
      const env = {CONNECTORCTL_BASE_URL: url};
      const terminal = openTerminal([...activate, '--json'], {columns, env, stdout: at('out')});
      await terminal.until(/Activation token/);
      terminal.type(`${token}\r`);
      await terminal.until(/Name of the connector/);
      terminal.type('web-1\r');
      expect(await terminal.ended).to.deep.equal({code: 0, signal: undefined});
      expect(seen.map(({body}) => JSON.parse(body))).to.deep.equal([{token, name: 'web-1'}]);
      expect(JSON.parse(readFileSync(at('out'), 'utf8'))).to.include({id: 'con_1'});
      expect(terminal.written()).not.to.include(token).and.not.include('act_');
      expect(terminal.screen()).to.deep.equal([
        ...wrapped(`✔ Activation token ${'*'.repeat(token.length)}`, columns),
        '✔ Name of the connector web-1',
      ]);
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

  it('suggest the name of the connector whose file is replaced', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_ACTIVATION_TOKEN: token};
    writeFileSync(at('a.json'), JSON.stringify(savedCredentials({base_url: url, name: 'db-7'})));
    const words = [...activate, '--force', '--credentials-file', at('a.json')];
    const terminal = openTerminal(words, {env, columns: 300});
    await terminal.until(/Name of the connector \(db-7\)/);
    terminal.type('\r');
    expect(await terminal.ended).to.include({code: 0});
    expect(JSON.parse(seen[0]!.body)).to.deep.equal({token, name: 'db-7'});
  });

  it('ask again for a mistyped token before anything is sent', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_CONNECTOR_NAME: 'web-1'};
    const terminal = openTerminal(activate, {env});
    await terminal.until(/Activation token/);
    terminal.type('\r');
    await terminal.until(/Please enter a value/);
    terminal.type(`${token.slice(0, -1)}\r`);
    await terminal.until(/mistyped or incomplete\. Press Ctrl-U to clear it/);
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

  it('accept a token that is pasted with export and quotes', async () => {
    const {url, seen} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_CONNECTOR_NAME: 'web-1'};
    const terminal = openTerminal(activate, {env});
    await terminal.until(/Activation token/);
    terminal.type(` export CONNECTORCTL_ACTIVATION_TOKEN="\u200b${token}"\r`);
    await refuseFile(terminal);
    expect(await terminal.ended).to.include({code: 0});
    expect(seen.map(({body}) => JSON.parse(body).token)).to.deep.equal([token]);
    expect(terminal.written()).not.to.include(token);
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

    it('before anything is sent, so that Ctrl-C changes nothing', async () => {
      const {terminal, seen} = await start();
      await terminal.until(/Save the credential/);
      terminal.type(ctrlC);
      expect(await terminal.ended).to.include({code: 130});
      expect(seen).to.deep.equal([]);
    });
  });

  for (const [name, key] of [
    ['Ctrl-C', ctrlC],
    ['Ctrl-D', ctrlD],
  ] as const) {
    it(`exit 130 on ${name} and change nothing`, async () => {
      const {url, seen} = await service();
      const env = {CONNECTORCTL_BASE_URL: url};
      const into = [...activate, '--credentials-file', at('web-1.json')];
      for (const typed of [[], [`${token}\r`]]) {
        const terminal = openTerminal(into, {env});
        await terminal.until(/Activation token/);
        for (const text of typed) terminal.type(text);
        if (typed.length > 0) await terminal.until(/Name of the connector/);
        terminal.type(key);
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
  }

  it('exit 143 on SIGTERM', async () => {
    const terminal = openTerminal(activate);
    await terminal.until(/Activation token/);
    terminal.type('abc');
    await terminal.until(/\*\*\*/);
    terminal.kill('SIGTERM');
    expect(await terminal.ended).to.deep.equal({code: 0, signal: 15});
    expect(terminal.screen().at(-1)).to.equal('Error: Canceled; nothing was changed.');
  });

  it('end after Ctrl-Z and fg', async () => {
    const {url} = await service();
    const env = {CONNECTORCTL_BASE_URL: url, PS1: '$ '};
    const terminal = openProgram(['bash', '--norc', '--noprofile', '-i'], {env});
    await terminal.until(/\$/);
    const words = [...program, ...activate, '--name', 'web-1'].map((word) => `'${word}'`);
    terminal.type(`${words.join(' ')}\r`);
    await terminal.until(/\? Activation token/);
    terminal.type('\x1a');
    await terminal.until(/Stopped[^\n]*\n(?:.*\n)*\$$/);
    terminal.type('fg\r');
    await terminal.until(/Canceled; nothing was changed\.[^\n]*\n\$$/);
    terminal.type('exit\r');
    expect(await terminal.ended).to.include({code: 130});
  });

  for (const [name, words, env] of [
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], {NO_COLOR: '1'}],
  ] as const) {
    it(`have no color with ${name}`, async () => {
      const terminal = openTerminal([...activate, ...words], {env});
      await terminal.until(/Activation token/);
      terminal.type(ctrlC);
      await terminal.ended;
      const colors = [30, 31, 34, 36, 90].map((code) => `\x1b[${code}m`);
      for (const color of [...colors, '\x1b[1m', '\x1b[2m']) {
        expect(terminal.written()).not.to.include(color);
      }
    });
  }

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
      [[], {CONNECTORCTL_NO_INPUT: '1'}, '--token-file'],
      [[], {CI: 'true'}, '--token-file'],
      [[], {CI: '1', CONNECTORCTL_ACTIVATION_TOKEN: token}, '--name'],
      [['--credentials-file', '/dev/null'], {}, '/dev/null cannot be read'],
      [['--base-url', 'no-url'], {}, 'begins with no http://'],
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

  it('are shown when CI is empty or false', async () => {
    await Promise.all(
      ['false', '0', ''].map(async (CI) => {
        const terminal = openTerminal(activate, {env: {CI}});
        await terminal.until(/Activation token/);
        terminal.type(ctrlC);
        expect(await terminal.ended).to.include({code: 130});
      }),
    );
  });
});

function wrapped(line: string, columns: number): string[] {
  const [first, rest] = [line.slice(0, columns), line.slice(columns)];
  return rest === '' ? [first] : [first, ...wrapped(rest, columns)];
}

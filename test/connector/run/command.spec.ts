import {randomBytes} from 'node:crypto';
import {rmSync, writeFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {program, runChild} from '../../support/process/child.js';
import {liveChild} from '../../support/process/live-child.js';
import {openProgram, openTerminal} from '../../support/process/terminal.js';
import {eachWithSandbox} from '../../support/server/sandbox.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {thirdPartyService} from '../../support/third-party.js';

/** Polls until a condition holds, or until the time limit of the test. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5);
}

const unreachable = {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1', CONNECTORCTL_API_KEY: 'k1'};
const wrap = (...words: readonly string[]) => ['connector', 'run', 'con_1', ...words];

describe('connector run -- COMMAND', () => {
  const at = temporaryDirectory();

  it('leaves the streams to the command', async () => {
    // More than a pipe holds; base64 has neither the hyphens nor the spaces of our lines.
    const bytes = `${randomBytes(300_000).toString('base64')}\n`;
    writeFileSync(at('bytes'), bytes);
    const {url} = await thirdPartyService((_request, response) => response.writeHead(401).end());
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'k1'};
    const command = ['sh', '-c', 'cat; cat "$1"; cat "$1" >&2; exit 9', 'sh', at('bytes')];
    const run = await runChild(wrap('--', ...command), {env, input: 'typed\n', home: at()});
    // Lines of connectorctl, which may appear between two writes of the command, also within its line.
    const stderr = run.stderr.replace(/(?:\d{4}-\S+ refused: .*| {2}Check the API key.*)\n/g, '');
    expect(run.code).to.equal(9);
    expect(run.stdout === `typed\n${bytes}`).to.equal(true);
    expect(stderr === bytes).to.equal(true);
  });

  it('passes every word after the first -- to the command', async () => {
    const words = ['--json', '--help', '--', '--debug', '-h', ''];
    const run = await runChild(wrap('--', 'printf', '[%s]', ...words), {env: unreachable});
    expect(run.stdout).to.equal('[--json][--help][--][--debug][-h][]');
  });

  describe('with a sandbox', () => {
    const holder = eachWithSandbox();
    const fleet = async () => {
      const {sandbox} = holder;
      await sandbox.control('createFleet', {count: 1, never: 1});
      const list = await (await sandbox.call('list')).text();
      const id = /con_\w+/.exec(list)?.[0] ?? '';
      const env = {CONNECTORCTL_BASE_URL: sandbox.url, CONNECTORCTL_API_KEY: sandbox.key};
      const status = async () =>
        JSON.parse(await (await sandbox.call('get', {id})).text()).status as string;
      const beats = () =>
        sandbox.requests().filter(({route}) => route.endsWith('/heartbeat')).length;
      return {id, env, status, beats};
    };
    const hold = ['sh', '-c', 'echo up; while [ -e "$1" ]; do sleep 0.05; done; exit 6', 'sh'];

    it('keeps the connector online from the start of the command to its end', async () => {
      const {id, env, status, beats} = await fleet();
      writeFileSync(at('hold'), '');
      const child = liveChild(
        ['connector', 'run', id, '--every', '1s', '--', ...hold, at('hold')],
        {env, home: at()},
      );
      await until(async () => beats() >= 2);
      expect(await status()).to.equal('online');
      rmSync(at('hold'));
      expect(await child.ended()).to.deep.equal({code: 6, signal: null});
      expect(child.stdout()).to.equal('up\n');
      expect(child.stderr()).to.equal('');
      const sent = beats();
      await holder.sandbox.control('advance', {seconds: 3600});
      expect(await status()).to.equal('offline');
      expect(beats()).to.equal(sent);
    });

    it('lets the connector become stale while the check fails, and online again after that', async () => {
      const {id, env, status, beats} = await fleet();
      writeFileSync(at('healthy'), '');
      const flags = ['--every', '1s', '--check', `test -e ${at('healthy')}`];
      const child = liveChild(['connector', 'run', id, ...flags, '--', 'sleep', '1000'], {
        env,
        home: at(),
      });
      await until(async () => (await status()) === 'online');
      rmSync(at('healthy'));
      await child.until(/failing: no heartbeat sent: the check exited with 1; trying again/);
      const sent = beats();
      await holder.sandbox.control('advance', {seconds: 180});
      expect(await status()).to.equal('stale');
      expect(beats()).to.equal(sent);
      writeFileSync(at('healthy'), '');
      await until(async () => (await status()) === 'online');
      await child.until(/accepted again/);
      // After SIGKILL the command would keep running.
      child.signal('SIGTERM');
      await child.ended();
    });

    it('reports a refusal once, and keeps the command running', async () => {
      const {id, env, beats} = await fleet();
      await holder.sandbox.control('addFault', {spec: 'heartbeat:401'});
      writeFileSync(at('hold'), '');
      const child = liveChild(['connector', 'run', id, '--', ...hold, at('hold')], {
        env,
        home: at(),
      });
      await child.until(/ refused: .* 401 .*\n {2}/);
      rmSync(at('hold'));
      expect(await child.ended()).to.deep.equal({code: 6, signal: null});
      expect(child.stderr().match(/refused/g)).to.have.length(1);
      expect(beats()).to.equal(1);
    });
  });

  describe('in a terminal', () => {
    const env = {...unreachable, PS1: 'PROMPT ', HOME: '/nonexistent'};
    const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
    const line = (...words: string[]) => `${quoted([...program, ...wrap(...words)])} 2>/dev/null\r`;

    for (const [key, signal, input] of [
      ['Ctrl-C', 'SIGINT', '\x03'],
      ['Ctrl-\\', 'SIGQUIT', '\x1c'],
    ] as const) {
      it(`lets ${key} reach the command exactly once`, async () => {
        const script = `let count = 0;
          process.on('${signal}', () => console.log('keys', ++count));
          process.on('SIGTERM', () => { console.log('end', count); process.exit(4); });
          setInterval(() => {}, 1e6);
          console.log('ready');`;
        const terminal = openTerminal(wrap('--', process.execPath, '-e', script), {env});
        await terminal.until(/ready/);
        terminal.type(input);
        await terminal.until(/keys 1/);
        terminal.kill('SIGTERM');
        await terminal.until(/end 1/);
        expect((await terminal.ended).code).to.equal(4);
        expect(terminal.screen().join('\n')).not.to.include('keys 2');
      });
    }

    it('dies of SIGINT with the command, so that a script around it ends', async () => {
      const terminal = openTerminal(wrap('--', 'sh', '-c', 'echo ready; exec sleep 1000'), {env});
      await terminal.until(/ready/);
      terminal.type('\x03');
      expect((await terminal.ended).signal).to.equal(2);
    });

    it('stops on Ctrl-Z together with the command, and fg resumes both', async () => {
      const terminal = openProgram(['/bin/sh', '-i'], {env, columns: 160});
      await terminal.until(/PROMPT/);
      terminal.type(line('--', 'sh', '-c', 'echo ready; read word; echo "read $word"; exit 3'));
      await terminal.until(/^ready$/m);
      terminal.type('\x1a');
      await terminal.until(/Stopped/);
      terminal.type('fg; echo code $?\r');
      await terminal.until(/fg; echo/);
      terminal.type('word\r');
      await terminal.until(/^read word$/m);
      await terminal.until(/^code 3$/m);
    });
  });
});

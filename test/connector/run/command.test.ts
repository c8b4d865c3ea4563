import {ChildProcess, execFileSync} from 'node:child_process';
import {chmodSync, existsSync, readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {Signals} from '../../../src/cli/process/signals.js';
import {startCommand} from '../../../src/connector/run/command.js';
import {savedCredentials} from '../../support/command/credentials.js';
import {runChild} from '../../support/process/child.js';
import {fakeIo} from '../../support/process/io.js';
import {liveChild} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {connectorKey, organizationKey} from '../../support/values/secrets.js';

const unreachable = {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1', CONNECTORCTL_API_KEY: 'k1'};
const wrap = (...words: readonly string[]) => ['connector', 'run', 'con_1', ...words];

describe('connector run -- COMMAND', () => {
  const at = temporaryDirectory();

  describe('exits', () => {
    const run = (...words: string[]) => runChild(wrap(...words), {env: unreachable, home: at()});

    for (const [code, script] of [
      [0, 'exit 0'],
      [7, 'exit 7'],
      [143, 'kill -TERM $$'],
      [137, 'kill -KILL $$'],
    ] as const) {
      it(`with ${code} when the command does: ${script}`, async () => {
        expect(await run('--', 'sh', '-c', script)).to.deep.include({code, stdout: ''});
      });
    }

    it('with 127 when the command does not exist', async () => {
      // A directory that this user may not read could hold the command.
      const env = {...unreachable, PATH: '/usr/bin:/bin'};
      const {stderr, ...rest} = await runChild(wrap('--', 'no-such-command', '--json'), {env});
      expect(rest).to.deep.equal({code: 127, stdout: ''});
      expect(stderr).to.equal(
        'Error: Cannot run no-such-command: no such file or directory (ENOENT).\n' +
          '  Write the name or the path of a program after --, and its arguments.\n',
      );
      const nameless = await run('--', '');
      expect(nameless.code).to.equal(127);
      expect(nameless.stderr).to.match(/^Error: Cannot run '': /);
    });

    it('with 126 when the command is not executable', async () => {
      writeFileSync(at('script'), 'exit 0');
      const {stderr, ...rest} = await run('--', at('script'));
      expect(rest).to.deep.equal({code: 126, stdout: ''});
      expect(stderr).to.equal(
        `Error: Cannot run ${at('script')}: permission denied (EACCES).\n` +
          '  Make it a file that this user may execute, or name another program after --.\n',
      );
      chmodSync(at('script'), 0o700);
      expect(await run('--', at('script'))).to.deep.include({code: 0, stdout: ''});
      expect((await run('--', '/')).code).to.equal(126);
    });
  });

  it('gives the command the id and the environment, without keys, tokens and variables of systemd', async () => {
    const env = {
      ...unreachable,
      CONNECTORCTL_API_KEY: organizationKey(),
      CONNECTORCTL_SECOND_API_KEY: organizationKey(),
      CONNECTORCTL_REVOKED_API_KEY: organizationKey(),
      CONNECTORCTL_ACTIVATION_TOKEN: 'act_1',
      CONNECTORCTL_CONTROL_TOKEN: 'control-token-of-a-sandbox',
      CONNECTORCTL_STORE: 'postgres://user:password@db/store',
      NOTIFY_SOCKET: '/nonexistent/notify',
      WATCHDOG_USEC: '60000000',
      WATCHDOG_PID: '1',
      OTHER: 'stays',
    };
    for (const words of [
      ['--', 'env'],
      ['--check', `env > ${at('seen')}; kill $PPID`, '--', 'sleep', '1000'],
    ]) {
      const child = liveChild(wrap(...words), {env, home: at()});
      await child.ended();
      const seen = existsSync(at('seen')) ? readFileSync(at('seen'), 'utf8') : child.stdout();
      expect(seen).to.match(/^CONNECTORCTL_CONNECTOR_ID=con_1$/m);
      expect(seen).to.match(/^OTHER=stays$/m);
      expect(seen).to.match(/^CONNECTORCTL_BASE_URL=/m);
      expect(seen).not.to.match(/API_KEY=|TOKEN|STORE|NOTIFY|WATCHDOG|ck_|password/);
    }
  });

  describe('passes on', () => {
    const names = ['SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGTERM'] as const;
    const listener = `for (const name of ${JSON.stringify(names)}) process.on(name, () => {
      console.log('got ' + name);
      if (name === 'SIGTERM') process.exit(5);
    });
    setInterval(() => {}, 1e6);
    console.log('ready');`;

    it('each signal of those that end or reload a program, once', async () => {
      const words = wrap('--', process.execPath, '-e', listener);
      const child = liveChild(words, {env: unreachable, hasSession: true});
      await child.until(/ready/);
      for (const name of names) {
        child.signal(name);
        await child.until(new RegExp(`got ${name}`));
      }
      expect(await child.ended()).to.deep.equal({code: 5, signal: null});
      expect(child.stdout()).to.equal(
        ['ready', ...names.map((name) => `got ${name}`), ''].join('\n'),
      );
    });
  });

  it('reports a signal that cannot be sent, and keeps running', async () => {
    const {kill} = ChildProcess.prototype;
    const takeSignals = () => new Signals().takeSignals();
    const io = fakeIo({takeSignals});
    let child: ChildProcess | undefined;
    ChildProcess.prototype.kill = function refuse() {
      child = this;
      return this.emit('error', new Error('not permitted'));
    };
    try {
      const {ended} = await startCommand(['sleep', '1000'], process.env, io);
      process.emit('SIGUSR2');
      expect(io.written.stderr).to.deep.equal(['Cannot signal the command: not permitted.']);
      ChildProcess.prototype.kill = kill;
      child?.kill('SIGKILL');
      expect(await ended).to.equal(137);
    } finally {
      ChildProcess.prototype.kill = kill;
      for (const name of ['SIGUSR1', 'SIGUSR2', 'SIGQUIT']) process.removeAllListeners(name);
    }
  });

  it('shows no key in its output or in the process list of the command', async () => {
    writeFileSync(at('web-1.json'), JSON.stringify(savedCredentials()));
    const flags = ['--credentials-file', at('web-1.json'), '--debug'];
    const child = liveChild(['connector', 'run', ...flags, '--', 'sleep', '1000'], {
      home: at(),
    });
    await child.until(/failing: /);
    expect(execFileSync('ps', ['-Aww', '-o', 'args='], {encoding: 'utf8'})).not.to.include(
      connectorKey(),
    );
    child.signal('SIGTERM');
    await child.ended();
    expect(child.stdout() + child.stderr()).not.to.include(connectorKey());
  });
});

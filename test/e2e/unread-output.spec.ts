import {type ChildProcess, execFileSync, type StdioOptions, spawn} from 'node:child_process';
import {once} from 'node:events';
import {constants, existsSync, openSync, writeFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'chai';
import {atEndOfTest} from '../support/process/at-end-of-test.js';
import {inherited, program} from '../support/process/child.js';
import {fullPipe} from '../support/process/full-pipe.js';
import {openTerminal} from '../support/process/terminal.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, thirdPartyService} from '../support/third-party.js';

/** How a command begins its work. */
interface Case {
  readonly argv: readonly string[];
  /** Resolves once the work has begun. */
  readonly begun: () => Promise<unknown>;
  /** The exit code after TERM; null for a death by the signal. */
  readonly code: number | null;
}

describe('a command whose output nobody reads', () => {
  const at = temporaryDirectory();
  let running: ChildProcess;

  const start = (argv: readonly string[], env: NodeJS.ProcessEnv, stdio: StdioOptions) => {
    const [file = '', ...words] = [...program, ...argv];
    running = spawn(file, words, {env: {...inherited, ...env}, stdio});
    const child = running;
    atEndOfTest(async () => child.kill('SIGKILL'));
    return child;
  };

  const until = async (isDone: () => boolean) => {
    while (!isDone()) {
      if (running.exitCode !== null || running.signalCode !== null) throw new Error('it has ended');
      await sleep(20);
    }
  };

  /** A service that refuses every heartbeat, which each command tells on stderr, and keeps what it was asked. */
  async function cases(): Promise<{env: Record<string, string>; all: Record<string, Case>}> {
    const connector = {id: 'con_1', name: 'web-1', status: 'offline'};
    const {url, seen} = await thirdPartyService((request, response, index) => {
      if (request.path.endsWith('/heartbeat')) json({}, 503)(request, response, index);
      else if (request.method === 'GET') json([connector])(request, response, index);
      // An activation waits.
    });
    const asked = (count: number) => () => until(() => seen.length >= count);
    writeFileSync(at('list.csv'), 'name\nweb-1\nweb-2\n');
    const trap = `trap 'exit 5' TERM; touch ${at('begun')}; while :; do sleep 0.1; done`;
    const run = ['connector', 'run', 'con_1', '--every', '1s'];
    return {
      env: {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: 'key-0123456789', HOME: at()},
      all: {
        'connector run': {argv: run, begun: asked(2), code: 0},
        'connector run -- COMMAND': {
          argv: [...run, '--', 'sh', '-c', trap],
          begun: async () => {
            await until(() => existsSync(at('begun')));
            await asked(2)();
          },
          code: 5,
        },
        'connector monitor': {
          argv: ['connector', 'monitor', '--every', '1s', '--for', '0s', '--initial'],
          begun: asked(1),
          code: 0,
        },
        'connector enroll': {
          argv: ['connector', 'enroll', at('list.csv'), '--credentials-dir', at('out')],
          begun: asked(1),
          code: null,
        },
        serve: {
          argv: ['serve', '--port', '0', '--store', at('store')],
          begun: () => until(() => existsSync(at('store/control.sock'))),
          code: 0,
        },
      },
    };
  }

  for (const unread of [['stdout'], ['stderr'], ['stdout', 'stderr']]) {
    for (const name of [
      'connector run',
      'connector run -- COMMAND',
      'connector monitor',
      'connector enroll',
      'serve',
    ]) {
      it(`ends on TERM: ${name}, unread ${unread.join(' and ')}`, async () => {
        const {env, all} = await cases();
        const {argv, begun, code} = all[name]!;
        const [stdout, stderr] = ['stdout', 'stderr'].map((stream) => {
          if (!unread.includes(stream)) return 'ignore';
          fullPipe(at(stream));
          return openSync(at(stream), constants.O_WRONLY | constants.O_NONBLOCK);
        });
        // A discarded stdout would be refused.
        const out = stdout === 'ignore' ? openSync(at('stdout.txt'), 'w') : stdout;
        const child = start(argv, env, ['ignore', out ?? 'ignore', stderr ?? 'ignore']);
        const ended = once(child, 'exit');
        await begun();
        child.kill('SIGTERM');
        expect(await ended).to.deep.equal(code === null ? [null, 'SIGTERM'] : [code, null]);
      });
    }
  }

  it('is answered by a service, as long as no audit record has to be kept', async () => {
    fullPipe(at('log'));
    const log = openSync(at('log'), constants.O_WRONLY | constants.O_NONBLOCK);
    const serve = ['serve', '--port', '0', '--store', at('store')];
    const child = start(serve, {HOME: at()}, ['ignore', 'pipe', log]);
    const [url] = String(await once(child.stdout!, 'data')).split('\n');
    for (let count = 0; count < 20; count += 1) {
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    }
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).to.deep.equal([0, null]);
  });
});

describe('Ctrl-C at connector run -- COMMAND', () => {
  const at = temporaryDirectory();

  for (const redirection of ['< /dev/null', `> ${'FILE'}`, `2> ${'FILE'}`]) {
    it(`arrives once at the command: ${redirection}`, async () => {
      const {url} = await thirdPartyService(json({}));
      const count = `trap 'echo int >> ${at('count')}; exit 3' INT; echo ready > /dev/tty; while :; do sleep 0.1; done`;
      const env = {
        CONNECTORCTL_BASE_URL: url,
        CONNECTORCTL_API_KEY: 'key-0123456789',
        COUNT: count,
      };
      const terminal = openTerminal(['connector', 'run', 'con_1', '--', 'sh', '-c', count], {
        env,
        prepare: `exec ${redirection.replace('FILE', at('output'))}`,
      });
      await terminal.until(/ready/);
      terminal.type('\x03');
      expect((await terminal.ended).code).to.equal(3);
      expect(execFileSync('cat', [at('count')], {encoding: 'utf8'})).to.equal('int\n');
    });
  }
});

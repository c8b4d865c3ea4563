import {once} from 'node:events';
import {expect} from 'chai';
import {spawnChild, startChild} from '../support/process/child.js';
import {liveChild} from '../support/process/live-child.js';
import {openTerminal} from '../support/process/terminal.js';
import {json, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

/** A service that never responds, and a promise that resolves at its first request. */
async function silentService() {
  const {url, requested} = await thirdPartyService(() => undefined);
  const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: organizationKey()};
  return {env, asked: requested()};
}

describe('an interrupted command', () => {
  it('leaves the prompt of the shell a line of its own', async () => {
    const {env, asked} = await silentService();
    const terminal = openTerminal(['connector', 'list'], {env});
    await asked;
    terminal.type('\x03');
    await terminal.ended;
    expect(terminal.written()).to.match(/\^C\r\n$/);
  });

  const interrupt = async (argv: readonly string[], signal: NodeJS.Signals, variables = {}) => {
    const {env, asked} = await silentService();
    const command = startChild(argv, {env: {...env, ...variables}});
    await asked;
    command.process.kill(signal);
    return {...(await command.ended), killedBy: command.process.signalCode};
  };

  const commands = [
    ['connector', 'list'],
    ['connector', 'get', 'con_1'],
    ['connector', 'heartbeat', 'con_1'],
    ['doctor'],
  ];
  for (const [signal, kind, code] of [
    ['SIGINT', 'cancelled', 130],
    ['SIGTERM', 'terminated', 143],
  ] as const) {
    for (const argv of commands) {
      it(`is ended by ${signal} without an error message: ${argv.join(' ')}`, async () => {
        const run = await interrupt(argv, signal);
        expect(run).to.deep.include({code, killedBy: signal, stderr: ''});
        expect(run.stdout).not.to.include('Interrupted');
      });

      it(`writes one JSON object on ${signal} under --json: ${argv.join(' ')}`, async () => {
        const {stdout, ...run} = await interrupt([...argv, '--json'], signal);
        expect(run).to.deep.equal({code, killedBy: signal, stderr: ''});
        expect(JSON.parse(stdout)).to.deep.equal({
          error: {
            kind,
            exit_code: code,
            message: `Interrupted by ${signal}.`,
            hint: 'Run the command again.',
          },
        });
      });
    }

    it(`reports on ${signal} that a token may have been created`, async () => {
      const {stdout, ...run} = await interrupt(['token', 'create', '--json'], signal);
      expect(run).to.deep.equal({code, killedBy: signal, stderr: ''});
      expect(JSON.parse(stdout).error).to.include({kind, exit_code: code, outcome_unknown: true});
    });
  }

  it('ends although the reader of its output has stopped', async () => {
    const list = Array.from({length: 50_000}, (_, index) => ({id: `con_${index}`, name: 'web'}));
    const {url} = await thirdPartyService(json(list));
    const child = spawnChild(['connector', 'list', '--json', '--base-url', url], {env: {}});
    await once(child.stdout!, 'readable');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([null, 'SIGTERM']);
  });

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    it(`leaves no command of --exec behind when ${signal} ends a monitor`, async () => {
      const {url} = await thirdPartyService(json([]));
      const line = `connector monitor --base-url ${url} --initial --for 1ms --every 1s`;
      const child = liveChild([...line.split(' '), '--exec', 'echo tells >&2; sleep 60']);
      // The first look can end before the problem has lasted for a millisecond; the next one cannot.
      await child.until(/tells/);
      child.signal(signal);
      // Not before every process that has its stderr has ended.
      await child.ended();
    });
  }
});

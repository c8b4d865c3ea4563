import {EventEmitter, once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {installProgram, program, watchOutput} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';
import {daemons} from '../daemons.js';
import {describeWith} from '../installed.js';
import type {ProgramName} from '../programs.js';
import {run} from '../run.js';

/** The COMMAND: waits for its first TERM, says which program sent it, and exits with 7. */
const command = `
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print('ready', flush=True)
sender = signal.sigwaitinfo([signal.SIGTERM]).si_pid
print('TERM from', open('/proc/%d/comm' % sender).read(), flush=True)
sys.exit(7)`;

interface Starter {
  readonly program: ProgramName;
  /** What stands before the command line, or before the directory whose file `run` has it. */
  readonly words: readonly string[];
  /** What stops it, before that directory; without it SIGTERM, which the runtime of a container sends. */
  readonly stop?: readonly string[];
  /** The programs that COMMAND may get its first TERM from: `run` (node), or what signals the process group. */
  readonly senders?: readonly string[];
  /** Its exit code, for the 7 of COMMAND. */
  readonly code: number;
}

const starters: readonly Starter[] = [
  {program: 'dumbInit', words: ['dumb-init'], senders: ['dumb-init'], code: 7},
  {program: 'dumbInit', words: ['dumb-init', '-c'], code: 7},
  {program: 'tini', words: ['tini', '-s', '--'], code: 7},
  {program: 'tini', words: ['tini', '-s', '-g', '--'], senders: ['tini'], code: 7},
  {program: 'catatonit', words: ['catatonit', '--'], code: 7},
  {program: 'catatonit', words: ['catatonit', '-g', '--'], senders: ['catatonit'], code: 7},
  {program: 'timeout', words: ['timeout', '1000'], senders: ['timeout', 'node'], code: 7},
  {program: 'runit', words: ['runsv'], stop: ['sv', 'exit'], code: 0},
  {program: 's6', words: ['s6-supervise'], stop: ['s6-svc', '-dx'], code: 0},
  {program: 'daemontools', words: ['supervise'], stop: ['svc', '-dx'], code: 0},
];

for (const {program: name, words, stop, senders = ['node'], code} of starters) {
  describeWith([name], `connector run -- COMMAND below ${words.join(' ')}`, () => {
    const at = temporaryDirectory();
    const {start} = daemons();

    it(`gets its first TERM from ${senders.join(' or ')}, and ends before its starter does`, async () => {
      const {url} = await thirdPartyService(json({status: 'online'}));
      writeFileSync(at('command.py'), command);
      const argv = ['connector', 'run', 'con_1', '--', '/usr/bin/python3', at('command.py')];
      mkdirSync(at('service'));
      const line = [...program, ...argv].map((word) => `'${word}'`).join(' ');
      writeFileSync(at('service', 'run'), `#!/bin/sh\nexec ${line}\n`, {mode: 0o755});
      const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: organizationKey()};
      const child = start([...words, stop ? at('service') : at('service', 'run')], env);
      const output = watchOutput(child);
      await output.until(/ready\n/);
      if (stop) await run(stop[0] ?? '', ...stop.slice(1), at('service'));
      else child.kill('SIGTERM');
      expect(await output.ended()).to.deep.equal({code, signal: null});
      const [, sender] = /^TERM from (.+)$/m.exec(output.stdout()) ?? [];
      expect(sender).to.be.oneOf([...senders]);
    });
  });
}

// Monit 5.33 (Debian 12), monit(1), "PROGRAM STATUS TESTING".
describeWith(['monit'], 'connector check below Monit', () => {
  const at = temporaryDirectory();
  const {start} = daemons();

  it('has the environment that Monit was started with', async () => {
    const requests = new EventEmitter();
    const {url} = await thirdPartyService((request, response, index) => {
      json([])(request, response, index);
      requests.emit('request', request.headers);
    });
    installProgram(at());
    const files = ['pidfile', 'statefile', 'idfile', 'log'].map((key) => `set ${key} ${at(key)}\n`);
    const check = `check program fleet with path "${at('connectorctl')} connector check"`;
    const rules = `set daemon 1\n${files.join('')}${check}\n  if status != 0 then alert\n`;
    writeFileSync(at('monitrc'), rules, {mode: 0o600});
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: organizationKey()};
    const asked = once(requests, 'request');
    start(['monit', '-I', '-c', at('monitrc')], env);
    const [headers] = await asked;
    expect(headers).to.include({authorization: `Bearer ${organizationKey()}`});
  });
});

import {spawn, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {installNode, supportedNodes} from '../../../scripts/build/nodes.js';
import {inherited, watchOutput} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {type Unit, units} from '../../support/values/units.js';
import {describeWith} from '../installed.js';

/** Loads a filter as systemd does for a list of allowed calls, and then becomes the program. */
const filterProgram = `
import errno, os, sys, seccomp
refusal, allowed, program = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
action = seccomp.ERRNO(getattr(errno, refusal)) if refusal else seccomp.KILL_PROCESS
rules = seccomp.SyscallFilter(action)
for name in allowed:
    try:
        rules.add_rule(seccomp.ALLOW, name)
    except RuntimeError:
        pass  # a call of another architecture
rules.load()
os.execv(program[0], program)
`;

/** The sets of system calls of the installed systemd. */
function callSets(): ReadonlyMap<string, readonly string[]> {
  const {stdout} = spawnSync('systemd-analyze', ['syscall-filter'], {encoding: 'utf8'});
  const blocks = stdout.split(/^(?=@)/m).map((block) => block.split('\n').map((one) => one.trim()));
  return new Map(
    blocks.map(([name = '', ...calls]) => [name, calls.filter((call) => /^@?\w/.test(call))]),
  );
}

/** The system calls that the lines of a unit allow, as in systemd.exec(5): `~` takes away, `@default` is always there. */
function allowedBy(unit: Unit): ReadonlySet<string> {
  const sets = callSets();
  const expand = (name: string): readonly string[] =>
    name.startsWith('@') ? (sets.get(name) ?? []).flatMap(expand) : [name];
  const allowed = new Set(expand('@default'));
  for (const line of unit.values('SystemCallFilter')) {
    const calls = line.replace(/^~/, '').split(' ').flatMap(expand);
    for (const call of calls) line.startsWith('~') ? allowed.delete(call) : allowed.add(call);
  }
  return allowed;
}

describeWith(['systemd', 'seccomp'], 'connectorctl under the filter of system calls of', () => {
  const at = temporaryDirectory();

  for (const unit of units) {
    for (const wanted of supportedNodes) {
      it(`${unit.name} starts, serves and checks on Node.js ${wanted}`, async () => {
        writeFileSync(at('filter.py'), filterProgram);
        const allowed = allowedBy(unit);
        expect(allowed.size).to.be.above(200);
        const [refusal = ''] = unit.values('SystemCallErrorNumber');
        const program = [installNode(wanted).path, join(root, 'bin', 'run.js')];
        const words = [at('filter.py'), refusal, [...allowed].join(' '), ...program];
        const env = {...inherited, HOME: at()};
        const run = (...argv: string[]) =>
          spawnSync('/usr/bin/python3', [...words, ...argv], {encoding: 'utf8', env});

        const version = run('--version');
        expect(version.status, `${version.signal} ${version.stderr}`).to.equal(0);

        const service = spawn(
          '/usr/bin/python3',
          [...words, 'serve', '--port', '0', '--store', at('store')],
          {env, stdio: ['ignore', 'pipe', 'pipe']},
        );
        const output = watchOutput(service);
        try {
          await output.until(/\n/, ['stdout']);
          await output.until(/CONNECTORCTL_API_KEY_FILE=\S+\n/);
          const reach = ['--base-url', output.stdout().trim(), '--api-key-file'];
          const check = run('connector', 'check', ...reach, at('store', 'first-api-key'));
          expect(check.status, check.stderr).to.equal(9);
          expect(check.stdout).to.include('0 connectors in all');
        } finally {
          service.kill();
        }
        expect(await output.ended()).to.deep.equal({code: 0, signal: null});
      });
    }
  }
});

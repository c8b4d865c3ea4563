import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {installProgram} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';
import type {ProgramName} from '../programs.js';

interface Caller {
  /** The command line that runs `connectorctl connector get ID` for each of two ids on stdin. */
  readonly command: (at: (name: string) => string) => readonly string[];
  /** Its exit code where each of them ends with 2, as no key is set, and where each is found to be fine. */
  readonly fails: number;
  /** Whether it calls for the second id after the first has failed. */
  readonly goesOn: boolean;
}

// GNU make 4.3 (info make, "Errors in Recipes"), findutils 4.9 (man xargs, "EXIT STATUS"), GNU parallel 20221122
// (man parallel, "EXIT STATUS": the number of jobs that failed).
const callers = {
  make: {
    command: (at) => {
      writeFileSync(at('Makefile'), 'all: a b\na b:\n\tconnectorctl connector get $@\n');
      return ['make', '-f', at('Makefile'), 'all'];
    },
    fails: 2,
    goesOn: false,
  },
  xargs: {
    command: () => ['xargs', '-n', '1', 'connectorctl', 'connector', 'get'],
    fails: 123,
    goesOn: true,
  },
  parallel: {
    command: () => ['parallel', '--will-cite', 'connectorctl', 'connector', 'get'],
    fails: 2,
    goesOn: true,
  },
} as const satisfies Partial<Record<ProgramName, Caller>>;

for (const [name, {command, fails, goesOn}] of Object.entries<Caller>(callers)) {
  describeWith([name as keyof typeof callers], `connectorctl below ${name}`, () => {
    const at = temporaryDirectory();
    const run = (before: string) => {
      installProgram(at(), before);
      const [program = '', ...argv] = command(at);
      const PATH = `${at()}:${process.env['PATH']}`;
      return spawnSync(program, argv, {input: 'a\nb\n', encoding: 'utf8', env: {PATH, HOME: at()}});
    };

    it(`makes it fail with ${fails} when a call fails, ${goesOn ? 'after' : 'without'} the second call`, () => {
      const {status, stderr} = run('');
      expect(status, stderr).to.equal(fails);
      expect(stderr.match(/^Error: /gm)?.length).to.equal(goesOn ? 2 : 1);
    });

    it('lets it succeed when each call does', () => {
      expect(run('set -- --version\n')).to.include({status: 0, stderr: ''});
    });
  });
}

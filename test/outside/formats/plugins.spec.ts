import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {closeThirdPartyServices} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';
import {describeWith} from '../installed.js';
import {checkFleet} from './fleets.js';

const runFile = promisify(execFile);

/** What a program prints; one that fails throws. The service that it calls is in this process. */
const run = async (program: string, ...argv: readonly string[]) => {
  const env = {...process.env, CONNECTORCTL_API_KEY: organizationKey()};
  return (await runFile(program, argv, {timeout: 60_000, env})).stdout;
};

// Icinga 2 2.13.6 (Debian 12), lib/base/perfdatavalue.cpp: a warning or critical value with a colon is none.
describeWith(['icinga'], 'performance data read by Icinga 2', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  it('has the value and the maximum of a rule; a minimum, which is a range, has no threshold', async () => {
    await checkFleet(`nagios=${at('out')}`, '--max-offline', '5', '--min-online', '95%');
    const [line = ''] = readFileSync(at('out'), 'utf8').split('\n');
    const all = (line.split(' | ')[1] ?? '').split(' ');
    const read: unknown[] = [];
    for (const one of all) {
      const parsed = `var p = parse_performance_data(${JSON.stringify(one)})`;
      const call = `${parsed}; Json.encode([p.label, p.value, p.crit, p.min])`;
      read.push(JSON.parse(JSON.parse(await run('icinga2', 'console', '--eval', call))));
    }
    expect(read).to.deep.equal([
      ['min-total', 2, null, 0],
      ['min-online', 50, null, 0],
      ['max-offline', 1, 5, 0],
    ]);
  });
});

// negate 2.3.3 (Debian 12), negate --help: --substitute replaces the words of the states in the text too.
describeWith(['negate'], 'a check below negate', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  it('has the swapped exit code, and the swapped word in its first line under --substitute', async () => {
    const service = await checkFleet(`nagios=${at('out')}`);
    const script = join(root, 'bin', 'run.js');
    const check = ['connector', 'check', '-o', 'nagios', '--base-url', service];
    const stdout = await run(
      '/usr/lib/nagios/plugins/negate',
      ...['--substitute', '--ok=CRITICAL', '--critical=OK', process.execPath, script, ...check],
    );
    expect(stdout).to.match(/^CONNECTORS OK - 1 of 2 connectors is offline /);
    expect(stdout.split('\n').slice(1)).to.deep.equal(
      readFileSync(at('out'), 'utf8').split('\n').slice(1),
    );
  });
});

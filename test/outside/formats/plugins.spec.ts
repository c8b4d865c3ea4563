import {EventEmitter, once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {shellWord} from '../../../src/domain/shell-word.js';
import {runCommand} from '../../support/command/run-command.js';
import {closedPort} from '../../support/network/ports.js';
import {installProgram, program, watchOutput} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';
import {daemons} from '../daemons.js';
import {describeWith} from '../installed.js';
import {result, run} from '../run.js';
import {checkFleet} from './fleets.js';

// Icinga 2 2.13.6 (Debian 12), lib/base/perfdatavalue.cpp: a warning or critical value with a colon is none.
describeWith(['icinga'], 'performance data read by Icinga 2', () => {
  const at = temporaryDirectory();

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

// NRPE 4.1.0 (Debian 12), nrpe.cfg: `command[NAME]`; it refuses to run as root, so root is another user for it.
describeWith(['nrpe'], 'a check by NRPE', () => {
  const at = temporaryDirectory();
  const {listen} = daemons();

  it('has the exit code and every line of the check, by protocol 2 only 1,024 bytes of them', async () => {
    const isRoot = process.geteuid?.() === 0;
    const user = isRoot ? 'nobody' : userInfo().username;
    const fleet = Array.from({length: 200}, (_, id) => ({
      id,
      name: `web-${id}`,
      status: 'offline',
    }));
    const {url} = await thirdPartyService(json(fleet));
    const port = await closedPort();
    const check = `${program.map(shellWord).join(' ')} connector check -o nagios --base-url ${url}`;
    const settings = {
      server_address: '127.0.0.1',
      server_port: `${port}`,
      allowed_hosts: '127.0.0.1',
      nrpe_user: user,
      nrpe_group: isRoot ? 'nogroup' : (await run('id', '-gn')).trim(),
      pid_file: at('pid'),
      'command[fleet]': `/usr/bin/env CONNECTORCTL_API_KEY=${organizationKey()} ${check}`,
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(at('nrpe.cfg'), lines.join(''));
    const mapped = ['unshare', '--user', '--map-user=65534', '--map-group=65534'];
    await listen(port, [...(isRoot ? mapped : []), 'nrpe', '-f', '-c', at('nrpe.cfg')]);
    const plugin = '/usr/lib/nagios/plugins/check_nrpe';
    const ask = (...flags: readonly string[]) =>
      result(plugin, ...flags, '-H', '127.0.0.1', '-p', `${port}`, '-c', 'fleet');
    const direct = await runCommand(['connector', 'check', '-o', 'nagios', '--base-url', url], {
      CONNECTORCTL_API_KEY: organizationKey(),
    });
    expect(direct.stdout.length).to.be.above(1024);
    expect(await ask()).to.include({code: 2, stdout: direct.stdout});
    const start = direct.stdout.slice(0, 1023);
    expect(await ask('-2')).to.include({code: 2, stdout: `${start}\n`});
  });
});

// Icinga 2 2.13.6 (Debian 12), with the command and the service of contrib, but for the interval.
describeWith(['icinga', 'curl'], 'the check of contrib in Icinga 2', () => {
  const at = temporaryDirectory();
  const {start} = daemons();

  it('is OK for a fleet that is, and CRITICAL before its time limit for a service that never answers', async () => {
    const states = new EventEmitter();
    const told = await thirdPartyService((request, response, index) => {
      json({})(request, response, index);
      const [name = '', ...state] = request.body.split(' ');
      states.emit(name, state.join(' '));
    });
    const fine = await thirdPartyService(json([{id: 'c-1', name: 'web-1', status: 'online'}]));
    const silent = await thirdPartyService(() => undefined);
    installProgram(at());
    writeFileSync(at('key'), organizationKey(), {mode: 0o600});
    const contrib = readFileSync(join(root, 'contrib', 'check', 'icinga2.conf'), 'utf8')
      .replace('/usr/bin/connectorctl', at('connectorctl'))
      .replace('/etc/icinga2/connectorctl.key', at('key'))
      .replace('https://connectors.example', fine.url)
      .replace('check_interval = 5m', 'check_interval = 1s\n  event_command = "tell"');
    const service = contrib.slice(contrib.indexOf('apply Service'));
    const other = service.replace('"connectors"', '"silent"').replace(fine.url, silent.url);
    writeFileSync(
      at('icinga2.conf'),
      `include <itl>
library "checker"
const NodeName = "here"
object CheckerComponent "checker" {}
object CheckCommand "up" { command = [ "true" ] }
object Host NodeName { check_command = "up" }
object EventCommand "tell" {
  command = [ "curl", "-s", "--data", "$service.name$ $service.state$ $service.output$", "${told.url}" ]
}
${contrib}${other}`,
    );
    const results = Promise.all([once(states, 'connectors'), once(states, 'silent')]);
    const constants = {
      ...{RunAsUser: userInfo().username, RunAsGroup: (await run('id', '-gn')).trim()},
      ...{DataDir: at(), LogDir: at(), CacheDir: at(), InitRunDir: at(), SpoolDir: at()},
    };
    const words = Object.entries(constants).flatMap(([key, value]) => ['-D', `${key}=${value}`]);
    const output = watchOutput(start(['icinga2', 'daemon', '-c', at('icinga2.conf'), ...words]));
    const ended = output.ended().then(() => Promise.reject(new Error(output.stdout())));
    const [[ok], [critical]] = await Promise.race([results, ended]);
    expect(ok).to.match(/^OK CONNECTORS OK - 1 connector in all/);
    expect(critical).to.match(/^CRITICAL CONNECTORS CRITICAL - .* no response from .* within 10 s/);
  });
});

import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {exitCodes} from '../../../src/errors.js';
import {runCommand} from '../../support/command/run-command.js';
import {closedPort} from '../../support/network/ports.js';
import {runChild, spawnChild} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, pieces, type Respond, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

const key = organizationKey();
const now = Date.parse('2026-01-02T03:04:05Z');
const date = {date: new Date(now).toUTCString()};
const iso = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();

const connector = (number: number, status: string, age: number | null = 10) => ({
  id: `c-${number}`,
  name: `web-${number}`,
  status,
  last_heartbeat_at: age === null ? null : iso(age),
});
const fleet = [
  ...[1, 2, 3].map((number) => connector(number, 'online')),
  connector(4, 'offline', 10_800),
];

const env = {CONNECTORCTL_API_KEY: key};

/** Runs `connector check` against a service. */
async function check(response: Respond | undefined, ...flags: readonly string[]) {
  const url =
    response === undefined
      ? `http://127.0.0.1:${await closedPort()}`
      : (await thirdPartyService(response)).url;
  return runCommand(['connector', 'check', '--base-url', url, '--retries', '0', ...flags], env);
}

describe('connector check', () => {
  const at = temporaryDirectory();

  const fleetResponse = json(fleet, 200, date);

  it('knows the clock of a service that sends a Date with only some pages', async () => {
    const {code, stdout} = await check(
      (_, response, index) => {
        response.sendDate = false;
        const page = {connectors: [{...connector(index, 'online')}]};
        if (index === 0) json({...page, next_cursor: 'c'}, 200, date)(_, response, index);
        else json(page)(_, response, index);
      },
      '--max-age',
      '1m',
    );
    expect({code, stdout}).to.deep.include({code: 0}).and.property('stdout').to.include('10 s old');
  });

  it('counts ages by the clock of this machine, and says so, at a service without a Date', async () => {
    const withoutDate: Respond = (seen, response, index) => {
      response.sendDate = false;
      const at = new Date(Date.now() - 3_600_000).toISOString();
      json([{...connector(1, 'online'), last_heartbeat_at: at}])(seen, response, index);
    };
    const told =
      /the service sends no `Date`, so ages count from the clock of this machine, which may be wrong/;
    const young = await check(withoutDate, '--max-age', '2h');
    expect(young).to.deep.include({code: 0, stderr: ''});
    expect(young.stdout).to.match(told);
    const old = await check(withoutDate, '--max-age', '30m');
    expect(old).to.deep.include({code: exitCodes.unmet.code});
    expect(old.stdout)
      .to.match(told)
      .and.match(/web-1.*last heartbeat/);
    expect((await check(withoutDate)).stdout).not.to.match(told);
    expect((await check(withoutDate, '--online-within', '2h')).stdout).to.match(told);
    const named = {heartbeat_interval_seconds: 60, last_heartbeat_at: iso(0)};
    const contradicted = await check((seen, response, index) => {
      response.sendDate = false;
      json([{...connector(1, 'online'), ...named}])(seen, response, index);
    });
    expect(contradicted.stdout).to.match(told).and.include('web-1 (c-1) is contradicted');
    const {url} = await thirdPartyService(withoutDate);
    const list = ['connector', 'list', '--base-url', url, '-o', 'id', '--older-than'];
    const listed = await runCommand([...list, '30m'], env);
    expect(listed).to.deep.include({code: 0, stdout: 'c-1\n'});
    expect(listed.stderr).to.match(told);
    expect(await runCommand([...list, '2h'], env)).to.deep.include({code: 0, stdout: ''});
    const known = ['connector', 'list', '--base-url', (await thirdPartyService(fleetResponse)).url];
    expect((await runCommand([...known, '--older-than', '1h'], env)).stderr).to.equal('');
  });

  it('exits 0 and prints one line per rule when all rules hold', async () => {
    expect(await check(fleetResponse, '--min-online', '75%', '--max-age', '3h')).to.deep.equal({
      code: 0,
      stderr: '',
      stdout:
        'ok    4 connectors in all; required: at least 1\n' +
        'ok    3 of 4 connectors are online (75 %); required: at least 75 %\n' +
        'ok    the oldest last heartbeat is 10800 s old; required: at most 10800 s\n',
    });
  });

  it('exits 9 and names the connectors when a rule fails', async () => {
    expect(await check(fleetResponse)).to.deep.equal({
      code: exitCodes.unmet.code,
      stderr: '',
      stdout:
        'ok    4 connectors in all; required: at least 1\n' +
        'ok    3 of 4 connectors are online (75 %); required: at least 1\n' +
        'FAIL  1 of 4 connectors is offline (25 %); required: at most 0\n' +
        '      web-4 (c-4) is offline (last heartbeat 3h ago); required: at most 0 offline\n' +
        'ok    0 of 4 connectors are without any heartbeat (0 %); required: at most 0\n',
    });
  });

  it('exits 9 and names a connector whose last heartbeat contradicts its status', async () => {
    const dead = {...connector(5, 'online', 3 * 86_400), heartbeat_interval: 60};
    const response = json([...fleet.slice(0, 3), dead], 200, date);
    const {code, stdout} = await check(response);
    expect(code).to.equal(exitCodes.unmet.code);
    expect(stdout).to.match(
      /^ +web-5 \(c-5\) is contradicted by the last heartbeat \(last heartbeat 3d ago; .*--online-within/m,
    );
    expect((await check(response, '--online-within', '1m', '--min-online', '75%')).code).to.equal(
      0,
    );
  });

  for (const value of ['0s', '-3m', '3']) {
    it(`refuses --online-within ${value}`, async () => {
      const {code, stderr} = await check(fleetResponse, `--online-within=${value}`);
      expect(code).to.equal(2);
      expect(stderr).to.match(/is not a duration.*above zero.*unit/s);
    });
  }

  it('exits 0 with a warning, or 9 with --fail-on-warning', async () => {
    const flags = ['--max-offline', '50%', '--warn', 'max-offline=10%'];
    const {code, stdout} = await check(fleetResponse, ...flags);
    expect(stdout).to.include('warn  1 of 4 connectors is offline (25 %); required: at most 10 %');
    expect(code).to.equal(0);
    expect((await check(fleetResponse, ...flags, '--fail-on-warning')).code).to.equal(9);
  });

  it('takes the CSV output of connector list as inventory, and names what it lacks', async () => {
    const online = json(fleet.slice(0, 3), 200, date);
    const {url} = await thirdPartyService(online);
    const list = await runCommand(['connector', 'list', '-o', 'csv', '--base-url', url], env);
    const [head = '', ...rows] = list.stdout.split('\n');
    for (const [from, code, named] of [
      [0, 0, []],
      [1, 9, ['web-1 (c-1)']],
    ] as const) {
      writeFileSync(at('fleet.csv'), [head, ...rows.slice(from)].join('\n'));
      const run = await check(online, '--expect', at('fleet.csv'));
      expect(run.code, run.stdout).to.equal(code);
      expect(run.stdout.match(/web-\d \(c-\d\)/g) ?? []).to.deep.equal(named);
    }
  });

  it('reads the inventory from stdin', async () => {
    const {url} = await thirdPartyService(json(fleet.slice(0, 1), 200, date));
    const argv = ['connector', 'check', '--base-url', url, '--expect', '-'];
    const run = await runChild(argv, {env, input: 'name\nweb-1\n'});
    expect(run.code).to.equal(0);
  });

  for (const [command, words] of [
    ['check', ['--expect', '-']],
    ['enroll', ['-', '--credentials-dir', 'out']],
  ] as const) {
    it(`refuses a list with another separator or too many cells before any request, as ${command}`, async () => {
      const {url, seen} = await thirdPartyService(fleetResponse);
      for (const row of ['web-1;7', 'web-1,7,8']) {
        const argv = ['connector', command, '--base-url', url, ...words];
        const {code, stderr} = await runChild(argv, {env, input: `name,rack\n${row}\n`});
        expect(code).to.equal(2);
        expect(stderr).to.match(/^Error: Cannot read (the inventory )?stdin as CSV: line 2 has /);
      }
      expect(seen).to.deep.equal([]);
    });
  }

  const words = (flags: string) => flags.split(' ').filter((word) => word !== '');
  const cut = pieces([`[${JSON.stringify(fleet[0])},`]);

  describe('never exits 0', () => {
    const timeless = json([{id: 'a', status: 'online'}], 200, date);
    const next = {...date, link: '<?cursor=2>; rel="next"'};
    for (const [what, response, flags, expected] of [
      ['the inventory is empty', fleetResponse, '--max-offline 4 --expect /dev/null', 9],
      ['the service sends no heartbeat times', timeless, '--max-age 1m', 8],
      ['the second page fails with 503', inTurn(json([fleet[0]], 200, next), json({}, 503)), '', 6],
      ['the list is cut off', cut, '', 8],
      ['the response is 401', json({}, 401), '', 3],
    ] as const) {
      it(`when ${what}, but ${expected}`, async () => {
        const run = await check(response, ...words(flags));
        expect(run.code, run.stderr).to.equal(expected);
      });
    }
  });

  for (const [state, what, response, flags, code] of [
    ['OK', 'the rules hold', fleetResponse, '--max-offline 1', 0],
    ['WARNING', 'a --warn bound fails', fleetResponse, '--max-offline 1 --warn max-offline=0', 1],
    ['CRITICAL', 'a rule fails', fleetResponse, '', 2],
    ['CRITICAL', 'nothing listens', undefined, '', 2],
    ['UNKNOWN', 'a flag is unknown', fleetResponse, '--bogus', 3],
    ['UNKNOWN', 'the response is 401', json({}, 401), '', 3],
  ] as const) {
    it(`reports ${state} as a monitoring plugin when ${what}`, async () => {
      const run = await check(response, '-o', 'nagios', ...words(flags));
      expect(run.stdout).to.match(new RegExp(`^CONNECTORS ${state} - `));
      expect(run).to.include({code, stderr: ''});
    });
  }

  it('writes complete reports, even when the check cannot run', async () => {
    const report = ['--report', `junit=${at('r.xml')}`, '--report', `json=${at('r.json')}`];
    await check(fleetResponse, ...report);
    expect(readFileSync(at('r.xml'), 'utf8')).to.include('<failure message="1 of 4 connectors');
    expect(JSON.parse(readFileSync(at('r.json'), 'utf8'))).to.include({schema: 1, verdict: 'fail'});
    const {code} = await check(undefined, '--report', `junit=${at('r.xml')}`);
    expect(code).to.equal(6);
    expect(readFileSync(at('r.xml'), 'utf8'))
      .to.include('errors="1"')
      .and.include('<error ');
  });

  describe('with the metrics of an earlier success in the file of --report', () => {
    for (const [what, response, flags, code] of [
      ['a rule does not hold', fleetResponse, '', 9],
      ['the inventory does not exist', fleetResponse, '--max-offline 1 --expect /nonexistent', 2],
      ['another report cannot be written', fleetResponse, '--report junit=/none/r.xml', 2],
      ['the service is down', undefined, '', 6],
      ['the list is cut off', cut, '', 8],
    ] as const) {
      it(`replaces it by success 0 and the time when ${what}`, async () => {
        const path = at('connectors.prom');
        writeFileSync(path, 'connectorctl_check_success 1\n');
        const start = Date.now() / 1000;
        const run = await check(response, '--report', `prometheus=${path}`, ...words(flags));
        expect(run.code, run.stderr).to.equal(code);
        const metrics = readFileSync(path, 'utf8');
        expect(metrics).to.match(/^connectorctl_check_success\{.*service=.*\} 0$/m);
        const [, time] = /^connectorctl_check_timestamp_seconds\{.*\} (\S+)$/m.exec(metrics) ?? [];
        expect(Number(time)).to.be.at.least(Math.floor(start));
      });
    }

    it('replaces it by success 0 when a signal comes while the inventory is read', async () => {
      const path = at('connectors.prom');
      writeFileSync(path, 'connectorctl_check_success 1\n');
      const words = ['connector', 'check', '--expect', '-', '--report', `prometheus=${path}`];
      const child = spawnChild(words, {env, input: ''});
      // More than a pipe holds: the inventory is being read once all of it is written.
      await new Promise((written) => child.stdin!.write('a\n'.repeat(500_000), written));
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).to.deep.equal([null, 'SIGTERM']);
      expect(readFileSync(path, 'utf8')).to.match(
        /^connectorctl_check_success\{.*service=.*\} 0$/m,
      );
    });
  });

  it('writes each format of -o to the file of --report as to stdout', async () => {
    for (const format of ['text', 'nagios', 'markdown', 'junit', 'json', 'prometheus'] as const) {
      const run = await check(fleetResponse, '-o', format, '--report', `${format}=${at('r')}`);
      const steady = (text: string) =>
        text.replace(/(time=|timestamp|duration|started|^Service ).*/gm, '');
      expect(steady(readFileSync(at('r'), 'utf8')), format).to.equal(steady(run.stdout));
    }
  });

  it('repeats the check under --wait-timeout until all rules hold', async () => {
    const better = json(fleet.slice(0, 3), 200, date);
    const run = await check(inTurn(fleetResponse, json({}, 503), better), '--wait-timeout', '30s');
    expect(run.code, run.stderr).to.equal(0);
  });

  it('exits 9 when --wait-timeout ends, or 6 when the last check got no response', async () => {
    expect((await check(fleetResponse, '--wait-timeout', '100ms')).code).to.equal(9);
    expect((await check(undefined, '--wait-timeout', '100ms')).code).to.equal(6);
  });
});

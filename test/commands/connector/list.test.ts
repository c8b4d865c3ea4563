import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {baseUrl, nockedService} from '../../support/services/nocked.js';
import {sampleConnectors} from '../../support/values/connector-samples.js';
import {organizationKey} from '../../support/values/secrets.js';

const env = {CONNECTORCTL_BASE_URL: baseUrl, CONNECTORCTL_API_KEY: organizationKey()};

describe('connector list', () => {
  const service = nockedService();
  let fleet: ReturnType<typeof sampleConnectors>;

  beforeEach(() => {
    fleet = sampleConnectors();
  });

  const run = (flags: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    runCommand(['connector', 'list', ...flags], {...env, ...variables});

  /** Runs the command against a service that lists the fleet. */
  const list = (...flags: string[]) => {
    service.response('list', {body: fleet});
    return run(flags);
  };

  it('writes a table, and sends no query parameters', async () => {
    expect(await list()).to.deep.equal({
      code: 0,
      stdout: [
        'ID     NAME   STATUS   LAST HEARTBEAT',
        'con_b  web-2  online   3m ago',
        'con_a  web-1  offline  50m ago',
        'con_c  db-1   never    never',
        '',
      ].join('\n'),
      stderr: '',
    });
    const [request] = service.sent;
    expect(request).to.deep.include({method: 'GET', path: '/api/connectors', body: ''});
    expect(request?.headers).to.include({
      authorization: `Bearer ${organizationKey()}`,
      accept: 'application/json',
    });
  });

  for (const flags of [['--json'], ['--output=json']]) {
    it(`writes every field unchanged with ${flags.join(' ')}`, async () => {
      const {stdout, ...rest} = await list(...flags);
      expect(rest).to.deep.equal({code: 0, stderr: ''});
      expect(stdout).to.equal(`${JSON.stringify(fleet, null, 2)}\n`);
    });
  }

  const ids = async (...flags: string[]) => {
    const {code, stdout, stderr} = await list('-o', 'id', ...flags);
    return {code, ids: stdout.trim().split('\n'), stderr};
  };

  it('filters by --status and by --name', async () => {
    expect(await ids('--status', 'ONLINE')).to.deep.equal({code: 0, ids: ['con_b'], stderr: ''});
    expect((await ids('--name', 'web-*')).ids).to.deep.equal(['con_b', 'con_a']);
    expect((await ids('--name', 'web-*', '--status', 'offline')).ids).to.deep.equal(['con_a']);
    expect(new Set(service.sent.map(({path}) => path))).to.deep.equal(new Set(['/api/connectors']));
  });

  it('warns of a connector whose last heartbeat contradicts its status, also where a filter hides it', async () => {
    const last_heartbeat_at = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const body = [...fleet, {id: 'con_d', name: 'db-2', status: 'online', last_heartbeat_at}];
    const headers = {date: new Date().toUTCString()};
    const said =
      'Warning: db-2 (con_d) is contradicted by the last heartbeat: the service says online nevertheless; --online-within DURATION goes by the heartbeat alone.\n';
    for (const [flags, stdout, stderr] of [
      ['--status=offline', 'con_a\n', said],
      ['--name=db-1', 'con_c\n', ''],
      ['--status=offline --online-within=30m', 'con_a\ncon_d\n', ''],
    ] as const) {
      service.response('list', {body, headers});
      const line = ['-o', 'id', ...flags.split(' ')];
      expect(await run(line), flags).to.deep.equal({code: 0, stdout, stderr});
    }
  });

  it('filters by the age of the last heartbeat, by the clock of the service', async () => {
    const date = new Date(new Date(fleet[1].last_heartbeat_at ?? 0).getTime() + 600_000);
    const aged = async (...flags: string[]) => {
      service.response('list', {body: fleet, headers: {date: date.toUTCString()}});
      return (await run(['-o', 'id', ...flags])).stdout;
    };
    expect(await aged('--older-than', '9m30s')).to.equal('con_a\n');
    expect(await aged('--older-than', '11m')).to.equal('');
    expect((await run(['--older-than', '10'])).code).to.equal(2);
  });

  it('shows the columns that --columns names, in their order', async () => {
    const labeled = fleet.map((one, index) => ({...one, labels: {rack: index}, api_key: 'k'}));
    const columns = async (...flags: string[]) => {
      service.response('list', {body: labeled});
      return run(flags);
    };
    expect(await columns('-c', 'labels.rack,name', '-c', 'labels')).to.deep.equal({
      code: 0,
      stdout: [
        'LABELS.RACK  NAME   LABELS',
        '0            web-2  {"rack":0}',
        '1            web-1  {"rack":1}',
        '2            db-1   {"rack":2}',
        '',
      ].join('\n'),
      stderr: '',
    });
    expect((await columns('--columns', 'name,labels.rack', '-o', 'csv')).stdout).to.equal(
      'name,labels.rack\nweb-2,0\nweb-1,1\ndb-1,2\n',
    );
    expect((await columns('-c', 'id,api_key', '-n', 'db-1')).stdout).to.equal(
      'ID     API_KEY\ncon_c  (hidden)\n',
    );
  });

  it('writes nothing and fails when no connector has the field of a column', async () => {
    const {code, stdout, stderr} = await list('-c', 'nmae,status');
    expect({code, stdout}).to.deep.equal({code: 2, stdout: ''});
    expect(stderr).to.include('Cannot show nmae: no connector has this field.');
    expect(stderr).to.include('Did you mean name?');
  });

  it('rejects --columns with a format that has none, and names jq', async () => {
    for (const [output, variables] of [
      ['id', {}],
      ['yaml', {}],
      ['json', {CONNECTORCTL_OUTPUT: 'json'}],
    ] as const) {
      const flags = 'CONNECTORCTL_OUTPUT' in variables ? [] : ['-o', output];
      const {code, stdout, stderr} = await run(['--columns', 'name', ...flags], variables);
      expect(code).to.equal(2);
      expect(stdout + stderr).to.include(`--columns does not work with the format ${output}.`);
      expect(stdout + stderr).to.include('connector list --json | jq');
    }
  });

  it('sorts by a field, in both directions', async () => {
    expect((await ids('--sort', 'last_heartbeat_at')).ids).to.deep.equal([
      'con_a',
      'con_b',
      'con_c',
    ]);
    expect((await ids('--sort=name:desc')).ids).to.deep.equal(['con_b', 'con_a', 'con_c']);
  });

  it('explains an empty list on stderr', async () => {
    expect(await list('--status', 'revoked')).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: 'No connector matches. To see all of them: connectorctl connector list\n',
    });
    expect(await list('--name', 'web-[12]', '--name', 'db', '--json')).to.deep.equal({
      code: 0,
      stdout: '[]\n',
      stderr: "No name matches 'web-[12]' or db: * is any text, ? one character.\n",
    });
    service.response('list', {body: []});
    expect(await run([])).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: [
        'No connectors yet. Create an activation token, then activate a connector with it:',
        '  connectorctl token create',
        '  connectorctl connector activate',
        '',
      ].join('\n'),
    });
  });

  it('writes nothing of a list whose second page fails', async () => {
    const next = `<${baseUrl}/api/connectors?cursor=2>; rel="next"`;
    for (const flags of [[], ['--json'], ['-o', 'csv']]) {
      service.response('list', {body: fleet.slice(0, 1), headers: {link: next}});
      service.responseAt('/api/connectors?cursor=2', {status: 500});
      const {code, stdout, stderr} = await run([...flags, '--retries', '0']);
      expect(code).to.equal(7);
      expect(stdout + stderr).to.match(/Cannot list the connectors: .* 500 /);
      expect(stdout + stderr).not.to.include('con_b');
    }
  });

  it('refuses --watch without a terminal, and names the command for changes in a pipe', async () => {
    for (const more of [[], ['-o', 'yaml'], ['--columns', 'name']]) {
      expect(await run(['--watch', ...more])).to.deep.equal({
        code: 2,
        stdout: '',
        stderr:
          'Error: --watch shows a table on a terminal only, and without --json.\n' +
          '  For changes in a pipe, use: connectorctl connector monitor --json\n',
      });
    }
  });

  it('colors a status only on request', async () => {
    const green = '\u001b[32monline\u001b[39m';
    for (const [variables, flags, colored] of [
      [{FORCE_COLOR: '1'}, [], true],
      [{}, [], false],
      [{FORCE_COLOR: '1'}, ['--no-color'], false],
      [{FORCE_COLOR: '1', NO_COLOR: '1'}, [], false],
      [{FORCE_COLOR: '0'}, [], false],
      [{FORCE_COLOR: 'false'}, [], false],
      [{FORCE_COLOR: 'true'}, [], true],
    ] as const) {
      service.response('list', {body: fleet});
      const {stdout} = await run(flags, variables);
      expect(stdout.includes(green), JSON.stringify([variables, flags])).to.equal(colored);
    }
  });
});

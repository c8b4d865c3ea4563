import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {baseUrl, nockedService} from '../../support/services/nocked.js';
import {sampleConnectors} from '../../support/values/connector-samples.js';
import {activationToken, connectorKey, organizationKey} from '../../support/values/secrets.js';

const env = {CONNECTORCTL_BASE_URL: baseUrl, CONNECTORCTL_API_KEY: organizationKey()};

describe('connector get', () => {
  const service = nockedService();
  const get = (id: string, ...flags: string[]) =>
    runCommand(['connector', 'get', id, ...flags], env);

  it('shows the connector, with its last heartbeat relative and exact', async () => {
    const [connector] = sampleConnectors();
    service.response('get', {body: connector}, 'con_b');
    const {stdout, ...run} = await get('con_b');
    expect(run).to.deep.equal({code: 0, stderr: ''});
    expect(stdout).to.match(/^ID: +con_b\nName: +web-2\nStatus: +online\n/);
    expect(stdout).to.match(/^Last heartbeat: +3m ago \(\S+Z\)$/m);
    const [request] = service.sent;
    expect(request).to.deep.include({method: 'GET', path: '/api/connectors/con_b', body: ''});
    expect(request?.headers).to.include({authorization: `Bearer ${organizationKey()}`});
  });

  /** Connectors of the names: revoked ones have an id that says so. */
  const named = (...ids: readonly [id: string, name: string][]) =>
    ids.map(([id, name]) => {
      const status = id.startsWith('revoked') ? 'revoked' : 'online';
      return {...sampleConnectors()[0], id, name, status};
    });

  for (const flags of [[], ['--wait', 'online']]) {
    it(`takes the only connector of a name that is not revoked: ${['web-2', ...flags].join(' ')}`, async () => {
      const list = named(['con_a', 'web-1'], ['revoked_b', 'web-2'], ['con_c', 'web-2']);
      service.response('get', {body: {}, status: 404}, 'web-2');
      service.response('get', {body: {...list[2]}}, 'con_c');
      service.response('list', {body: list});
      const {code, stdout, stderr} = await get('web-2', '--json', ...flags);
      expect({code, stderr}).to.deep.equal({code: 0, stderr: 'web-2 is the name of con_c.\n'});
      expect(JSON.parse(stdout)).to.deep.equal(list[2]);
    });
  }

  it('writes what the service sends as JSON and as YAML', async () => {
    const body = {id: 7, name: 'gw', status: null, ports: [1]};
    for (const [flags, text] of [
      [['--json'], `${JSON.stringify(body, null, 2)}\n`],
      [['-o', 'json'], `${JSON.stringify(body, null, 2)}\n`],
      [['-o', 'yaml'], 'id: 7\nname: gw\nstatus: null\nports:\n  - 1\n'],
    ] as const) {
      service.response('get', {body}, '7');
      expect(await get('7', ...flags)).to.deep.equal({code: 0, stdout: text, stderr: ''});
    }
  });

  it('says which ids a name has that several connectors have, and leaves a revoked one alone', async () => {
    const list = named(['revoked_a', 'gone'], ['con_b', 'web 1'], ['con_c', 'web 1']);
    for (const [name, status, said] of [
      ['gone', 404, 'Cannot read connector gone'],
      ['web 1', 422, 'named web 1.\n  Write the id of one of them: con_b con_c\n'],
    ] as const) {
      service.response('get', {body: {}, status}, name);
      service.response('list', {body: list});
      const run = await get(name);
      expect(run).to.include({code: 4, stdout: ''});
      expect(run.stderr).to.include(said);
    }
  });

  for (const operation of ['get', 'heartbeat'] as const) {
    it(`rejects the path of a file in place of the id, with connector ${operation}`, async () => {
      const {code, stderr} = await runCommand(['connector', operation, './web-1.json'], env);
      expect(code).to.equal(2);
      expect(stderr).to.include('That is the path of a file').and.include('./web-1.json\n');
      expect(service.sent).to.deep.equal([]);
    });
  }

  it('rejects a secret in place of the id without sending a request, and so does connector heartbeat', async () => {
    for (const [secret, what] of [
      [activationToken(), 'an activation token'],
      [organizationKey(), 'an API key'],
      [connectorKey(), "a connector's API key"],
    ] as const) {
      for (const operation of ['get', 'heartbeat']) {
        for (const mode of [[], ['--json']]) {
          const run = await runCommand(['connector', operation, secret, ...mode], env);
          expect(run.code).to.equal(2);
          expect(run.stdout + run.stderr)
            .to.include(`That is ${what}, not a connector's id.`)
            .and.not.include(secret);
        }
      }
    }
    expect(service.sent).to.deep.equal([]);
  });

  describe('with connection settings', () => {
    const body = {id: 'con_b'};

    it('retries a failed request as often as --retries allows', async () => {
      service.response('get', {status: 503}, 'con_b');
      service.response('get', {body}, 'con_b');
      expect(await get('con_b', '--retries', '1')).to.deep.include({code: 0, stderr: ''});
      service.response('get', {status: 503}, 'con_b');
      expect(await get('con_b', '--retries', '0')).to.deep.include({code: 6});
      expect(service.sent).to.have.length(3);
    });
  });
});

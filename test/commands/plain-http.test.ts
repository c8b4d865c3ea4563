import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {nockedService} from '../support/services/nocked.js';

describe('a command with a plain http:// base URL', () => {
  const service = nockedService();
  const at = 'http://connectors.example';
  const env = {CONNECTORCTL_BASE_URL: at, CONNECTORCTL_API_KEY: 'sesame'};
  const warnings = (stderr: string) => stderr.match(/^Warning: .*not encrypted.*$/gm) ?? [];

  it('warns once on stderr about the API key, and does not change the --json output', async () => {
    service.response('get', {at, status: 503}, 'con_1');
    service.response('get', {at, body: {id: 'con_1'}}, 'con_1');
    const run = await runCommand(['connector', 'get', 'con_1', '--json'], env);
    expect(JSON.parse(run.stdout)).to.deep.equal({id: 'con_1'});
    expect(service.sent).to.have.length(2);
    expect(warnings(run.stderr)).to.have.length(1);
    expect(run).to.include({code: 0, stderr: `${warnings(run.stderr)}\n`});
  });
});

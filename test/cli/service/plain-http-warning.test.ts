import {expect} from 'chai';
import {plainHttpNotice} from '../../../src/cli/service/plain-http-warning.js';
import {nockedService} from '../../support/nocked-service.js';
import {runCommand} from '../../support/run-command.js';
import {activationToken} from '../../support/secrets.js';

const key = {hasKey: true, sendsToken: false};
const token = {hasKey: false, sendsToken: true};

describe('secrets over plain http', () => {
  it('are warned of when they go to another machine', () => {
    const warning = (what: string) =>
      `Warning: http://connectors.example is not encrypted: ${what} can be read on the way. Use an https:// base URL if the service has one.`;
    const url = 'http://connectors.example/a/b';
    expect(plainHttpNotice(url, key)).to.equal(warning('the API key'));
    expect(plainHttpNotice(url, token)).to.equal(warning('the activation token'));
    expect(plainHttpNotice(url, {hasKey: true, sendsToken: true})).to.equal(
      warning('the API key and the activation token'),
    );
    expect(plainHttpNotice(url, {hasKey: false, sendsToken: false})).to.equal(undefined);
  });

  it('are not when they stay on this machine, nor with https', () => {
    for (const host of ['127.0.0.1:4480', 'localhost', '[::1]:4480', '127.8.8.8']) {
      expect(plainHttpNotice(`http://${host}`, key), host).to.equal(undefined);
    }
    for (const host of ['127.0.0.1.example', 'localhost.example', '10.0.0.1', '[fe80::1]']) {
      expect(plainHttpNotice(`http://${host}`, key), host).to.be.a('string');
      expect(plainHttpNotice(`https://${host}`, key), host).to.equal(undefined);
    }
  });

  describe('in a command', () => {
    const service = nockedService();
    const at = 'http://connectors.example';
    const env = {CONNECTORCTL_BASE_URL: at, CONNECTORCTL_API_KEY: 'sesame'};
    const warnings = (stderr: string) => stderr.match(/^Warning: .*not encrypted.*$/gm) ?? [];

    it('are warned of once, on stderr, and --json stays what it is', async () => {
      service.response('get', {at, status: 503}, 'con_1');
      service.response('get', {at, body: {id: 'con_1'}}, 'con_1');
      const run = await runCommand(['connector', 'get', 'con_1', '--json'], env);
      expect(JSON.parse(run.stdout)).to.deep.equal({id: 'con_1'});
      expect(service.sent).to.have.length(2);
      expect(warnings(run.stderr)).to.have.length(1);
      expect(run).to.include({code: 0, stderr: `${warnings(run.stderr)}\n`});
    });

    it('are warned of where the only one is an activation token', async () => {
      service.response('activate', {at, status: 201, body: {id: 'con_1'}});
      const {stderr} = await runCommand(['connector', 'activate', '--name', 'web'], {
        CONNECTORCTL_BASE_URL: at,
        CONNECTORCTL_ACTIVATION_TOKEN: activationToken(),
      });
      expect(warnings(stderr)).to.have.length(1);
      expect(stderr).to.include('the activation token').and.not.include('API key');
    });

    it('are nothing to warn of where there are none', async () => {
      service.response('get', {at, body: {id: 'con_1'}}, 'con_1');
      const {stderr} = await runCommand(['connector', 'get', 'con_1'], {CONNECTORCTL_BASE_URL: at});
      expect(stderr).to.equal('');
    });
  });
});

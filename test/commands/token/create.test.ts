import {expect} from 'chai';
import {formatSecret} from '../../../src/domain/secret.js';
import {runCommand} from '../../support/command/run-command.js';
import {baseUrl, nockedService} from '../../support/services/nocked.js';

const apiKey = formatSecret('organizationKey', new Uint8Array(32).fill(1));
const token = formatSecret('activationToken', new Uint8Array(32).fill(2));
const env = {CONNECTORCTL_BASE_URL: baseUrl, CONNECTORCTL_API_KEY: apiKey};

/** Adds 0.2 minutes, so that a slow machine still shows the same number of minutes. */
const inMinutes = (minutes: number) => new Date(Date.now() + (minutes + 0.2) * 60_000);

describe('token create', () => {
  const service = nockedService();

  const response = (minutes = 15, headers = {date: new Date().toUTCString()}) => {
    const expiresAt = inMinutes(minutes).toISOString();
    service.response('createToken', {
      status: 201,
      body: {token, expires_at: expiresAt, extra: {kept: 'as it is'}},
      headers,
    });
    return expiresAt;
  };

  it('writes only the token to stdout, and the next steps to stderr', async () => {
    const expiresAt = response();
    expect(await runCommand(['token', 'create'], env)).to.deep.equal({
      code: 0,
      stdout: `${token}\n`,
      stderr: [
        `Expires in 15m, at ${expiresAt}.`,
        'Activate a connector with it, on its machine; the command asks for the token:',
        `  connectorctl connector activate --base-url ${baseUrl}`,
        '',
      ].join('\n'),
    });
  });

  it("uses the service's clock, and warns when this machine's clock differs", async () => {
    const date = new Date(Date.now() + 7_200_000).toUTCString();
    const expiresAt = response(120 + 15, {date});
    const {code, stderr} = await runCommand(['token', 'create'], env);
    expect(code).to.equal(0);
    expect(stderr).to.include(`Expires in 15m, at ${expiresAt}.`);
    const says = `\nWarning: the service's clock says ${new Date(date).toISOString()}, `;
    expect(stderr.slice(stderr.indexOf(says) + says.length)).to.match(
      /^and this machine's 2\S+Z; one of them is wrong\.\n$/,
    );
  });

  it('sends only the values of --ttl and --description', async () => {
    response(30);
    const {code, stderr} = await runCommand(
      ['token', 'create', '--ttl', '30m', '--description', 'rack 12'],
      env,
    );
    expect(code).to.equal(0);
    expect(stderr).not.to.include('Warning');
    expect(service.sent[0]?.body).to.deep.equal({ttl_seconds: 1800, description: 'rack 12'});
    expect(service.sent[0]?.headers).to.include({'content-type': 'application/json'});
  });

  it('names --ttl where the service names the field of the request', async () => {
    const errors = [{path: '/ttl_seconds', message: 'must be from 60 to 86400'}];
    service.response('createToken', {status: 400, body: {code: 'request_invalid', errors}});
    const {code, stderr} = await runCommand(['token', 'create', '--ttl', '1s'], env);
    expect(code).to.equal(2);
    expect(stderr).to.include('--ttl: must be from 60').and.not.include('ttl_seconds');
  });

  it('warns when the service ignores --ttl', async () => {
    response(15);
    const {code, stdout, stderr} = await runCommand(['token', 'create', '--ttl', '5m'], env);
    expect({code, stdout}).to.deep.equal({code: 0, stdout: `${token}\n`});
    expect(stderr.trimEnd().split('\n').at(-1)).to.equal(
      'Warning: the token does not expire after --ttl (300 s); this service may not support --ttl.',
    );
  });

  it('does not write a token with control characters or line breaks to stdout', async () => {
    const body = {token: 'tok\u001b[31m\nrm -rf /', expires_at: inMinutes(1).toISOString()};
    service.response('createToken', {body});
    const refused = await runCommand(['token', 'create'], env);
    expect(refused).to.deep.include({code: 8, stdout: ''});
    expect(refused.stderr).to.include('`token`').and.include('--json');
    service.response('createToken', {body});
    const {code, stdout} = await runCommand(['token', 'create', '--json'], env);
    expect(code).to.equal(0);
    expect(stdout).not.to.include('\u001b');
    expect(JSON.parse(stdout)).to.deep.equal(body);
  });
});

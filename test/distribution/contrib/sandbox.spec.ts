import {execFile} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {parse} from 'yaml';
import {runScript, startServe} from '../../support/process/child.js';
import {open, parseResponse, readAll} from '../../support/server/raw-http.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const runFile = promisify(execFile);
const directory = join(root, 'contrib', 'sandbox');

describe('contrib/sandbox/drive.sh', () => {
  it('controls a sandbox with curl alone', async () => {
    const service = await startServe(['--sandbox', '--log-level', 'silent', '--seed', '7']);
    const script = join(directory, 'drive.sh');
    const {stdout} = await runFile('sh', [script, service.url]);
    expect(stdout).to.match(/\nAll of it was as expected\.\n$/);
  });
});

describe('contrib/sandbox/compose.yaml', () => {
  const at = temporaryDirectory();
  const {services} = parse(readFileSync(join(directory, 'compose.yaml'), 'utf8'));
  const {sandbox, tests} = services;

  it('has commands that work without containers, at another address and under the name of the service', async () => {
    const token = '0123456789abcdef0123456789abcdef';
    const tokenFile = at('control-token');
    writeFileSync(tokenFile, token);
    const [serve, ...flags]: string[] = sandbox.command;
    expect(serve).to.equal('serve');
    const own = (text: string) =>
      text.replaceAll('/tmp/', `${at()}/`).replace('/run/secrets/control-token', tokenFile);
    const service = await startServe(flags.map(own), {env: sandbox.environment});
    const {port} = new URL(service.url);
    const [script]: string[] = tests.command;
    const env = {
      CONNECTORCTL_BASE_URL: `http://127.0.0.2:${port}`,
      CONNECTORCTL_CONTROL_TOKEN_FILE: tokenFile,
    };
    const lines = (script ?? '').replaceAll('$$', '$').split('\n').map(own).join('\n');
    const words = ['-euc', lines];
    const {code, stdout, stderr} = await runScript(words, {directory: at(), env});
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/"spec":"heartbeat:503@1x","matched":\d+,"applied":1\}/);
    const head = `host: sandbox:4480\r\nauthorization: Bearer ${token}\r\nconnection: close`;
    const request = `GET /_sandbox/status HTTP/1.1\r\n${head}\r\n\r\n`;
    const answer = await readAll(open(`http://127.0.0.2:${port}`, request));
    expect(parseResponse(answer).status).to.equal(200);
  });
});

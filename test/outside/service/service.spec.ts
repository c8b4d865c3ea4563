import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {inherited, runChild, watchOutput} from '../../support/process/child.js';
import {runUntil} from '../../support/process/live-child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {describeWith} from '../installed.js';

const program = join(root, 'test', 'outside', 'service', 'service.py');
const keys = {own: 'first-0123456789', other: 'second-0123456789', revoked: 'third-0123456789'};

describeWith(['python'], 'connectorctl at a service written from the documents alone', () => {
  const at = temporaryDirectory();
  let stop: () => Promise<unknown>;
  let url: string;
  let said: () => string;

  /** Runs a command as its own process. */
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runChild(argv, {env: {...service(), ...env}});
  const service = () => ({CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: keys.own});

  /** What a command prints, which has to succeed. */
  async function output(...argv: readonly string[]): Promise<string> {
    const ended = await run(argv);
    expect(ended, argv.join(' ')).to.deep.include({code: 0});
    return ended.stdout;
  }

  async function start(...pace: readonly string[]): Promise<void> {
    const lines = [`one ${keys.own}`, `two ${keys.other}`, `one ${keys.revoked} revoked`];
    writeFileSync(at('keys'), lines.join('\n'), {mode: 0o600});
    const words = ['-B', program, '--keys', at('keys'), '--port', '0', ...pace];
    const child = spawn('/usr/bin/python3', words, {env: inherited});
    const written = watchOutput(child);
    stop = () => {
      child.kill();
      return written.ended();
    };
    said = written.stderr;
    await written.until(/\n/, ['stdout']);
    url = written.stdout().trim();
  }
  afterEach(() => stop());

  it('finds that it passes each check of conformance --strict, none of them skipped', async () => {
    await start('--token-ttl', '20', '--heartbeat-interval', '1');
    const argv = ['conformance', '--strict', '--writes-to', '127.0.0.1', '--patience', '1m'];
    const {code, stdout} = await run(argv, {
      CONNECTORCTL_SECOND_API_KEY: keys.other,
      CONNECTORCTL_REVOKED_API_KEY: keys.revoked,
    });
    expect(stdout).to.match(/\n\d+ hold, 0 fail, 0 warn, 0 skipped, /);
    expect(code).to.equal(0);
  });

  it('leads a connector through its whole life, and leaves no secret in the log of the service', async () => {
    await start();
    const token = (await output('token', 'create', '-q')).trim();
    const saved = ['--credentials-file', at('web-1.json')];
    const activate = (file: readonly string[]) =>
      run(['connector', 'activate', '--name', 'web-1', ...file], {
        CONNECTORCTL_ACTIVATION_TOKEN: token,
      });
    expect(await activate(saved)).to.deep.include({code: 0});
    expect(await activate(['--credentials-file', at('web-2.json')])).to.deep.include({code: 5});
    const {connector_id: id, api_key: key} = JSON.parse(readFileSync(at('web-1.json'), 'utf8'));
    const read = async () => JSON.parse(await output('connector', 'get', id, '--json'));
    expect(await read()).to.include({name: 'web-1', status: 'never', last_heartbeat_at: null});

    await output('connector', 'heartbeat', ...saved);
    const {last_heartbeat_at: first} = await read();
    const listed = JSON.parse(await output('connector', 'list', '--json'));
    expect(listed.map((one: {id: string}) => one.id)).to.deep.equal([id]);

    const running = ['connector', 'run', ...saved, '--every', '1s', '--debug'];
    const beats = /(?:POST \S+\/heartbeat[\s\S]*?){3}/;
    expect(await runUntil(beats, running, {env: service()})).to.deep.include({code: 0});
    expect((await read()).last_heartbeat_at > first).to.equal(true);
    expect(await output('connector', 'check')).to.match(/^ok +1 of 1 .*online/m);
    expect(said()).to.include('POST /api/connectors/{id}/heartbeat 200\n');
    for (const secret of [token, key, ...Object.values(keys)])
      expect(said()).to.not.include(secret);
  });
});

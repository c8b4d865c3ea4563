import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCli} from '../support/command/run-cli.js';
import {firstKeyFile, type Service, startService} from '../support/process/child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const idPattern = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;

describe('connectorctl, with a service as a child process,', () => {
  const at = temporaryDirectory();
  let store: string;
  let service: Service;
  let env: Record<string, string>;

  beforeEach(async () => {
    store = at('store');
    service = await startService(store);
    const keyFile = await firstKeyFile(service);
    env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY_FILE: keyFile};
  });

  const run = (...argv: string[]) => runCli(argv, {env});
  const json = async (...argv: string[]) => {
    const result = await run(...argv, '--json');
    expect(result.code, result.stdout).to.equal(0);
    return JSON.parse(result.stdout);
  };
  const createToken = async () => (await run('token', 'create')).stdout.trim();
  const activate = (token: string, name: string, ...more: string[]) =>
    runCli(['connector', 'activate', '--name', name, ...more], {
      env: {...env, CONNECTORCTL_ACTIVATION_TOKEN: token},
    });

  it('creates a token, activates a connector, lists it, and sends its heartbeat', async () => {
    const token = await run('token', 'create');
    expect(token).to.deep.include({code: 0});
    expect(token.stdout).to.match(/^act_[\w-]{49}\n$/);
    expect(token.stderr).to.include('connectorctl connector activate');
    expect(token.stderr).not.to.include(token.stdout.trim());

    const activated = await activate(token.stdout.trim(), 'web-1', '--json');
    const {api_key: key, ...connector} = JSON.parse(activated.stdout);
    expect(key).to.match(/^cck_/);
    expect(connector.id).to.match(idPattern);
    expect(connector).to.deep.include({name: 'web-1', status: 'never', last_heartbeat_at: null});

    expect(await json('connector', 'list')).to.deep.equal([connector]);
    expect(await json('connector', 'get', connector.id)).to.deep.equal(connector);
    const beat = await json('connector', 'heartbeat', connector.id);
    expect(beat).to.deep.include({id: connector.id, status: 'online', next_heartbeat_seconds: 60});
    expect(await json('connector', 'get', connector.id)).to.deep.equal({
      ...connector,
      status: 'online',
      last_heartbeat_at: beat.last_heartbeat_at,
    });
  });

  it('keeps every acknowledged change after kill -9', async () => {
    const acknowledged: {id: string; beat: string}[] = [];
    for (let index = 0; index < 5; index += 1) {
      const {id} = JSON.parse((await activate(await createToken(), `n${index}`, '--json')).stdout);
      const {last_heartbeat_at: beat} = await json('connector', 'heartbeat', id);
      acknowledged.push({id, beat});
    }
    const open = await createToken();
    await service.stop('SIGKILL');
    service = await startService(store);
    env = {...env, CONNECTORCTL_BASE_URL: service.url};
    const list: {id: string; last_heartbeat_at: string}[] = await json('connector', 'list');
    expect(list.map(({id, last_heartbeat_at: beat}) => ({id, beat}))).to.deep.equal(acknowledged);
    expect((await activate(open, 'after')).code).to.equal(0);
  });

  it('writes no secret to the store, the log, or an error', async () => {
    const token = await createToken();
    const {id, api_key: connectorKey} = JSON.parse((await activate(token, 'web', '--json')).stdout);
    const apiKey = readFileSync(env['CONNECTORCTL_API_KEY_FILE']!, 'utf8').trim();
    const outputs = [
      await run('connector', 'get', id, '--debug'),
      await activate(token, 'again', '--debug'),
      await runCli(['connector', 'heartbeat', id, '--debug'], {
        env: {...env, CONNECTORCTL_API_KEY: connectorKey},
      }),
      await run('connector', 'get', apiKey),
      await run('connector', 'activate', token),
    ];
    await service.stop();
    const stored = readdirSync(store)
      .filter((name) => name !== 'first-api-key')
      .map((name) => readFileSync(join(store, name), 'utf8'));
    const everything = [
      ...stored,
      service.stderr(),
      ...outputs.flatMap(({stdout, stderr}) => [stdout, stderr]),
    ].join('\n');
    for (const secret of [token, apiKey, connectorKey]) {
      expect(everything.includes(secret), `${secret.slice(0, 4)} is written somewhere`).to.equal(
        false,
      );
    }
    for (const name of readdirSync(store)) {
      expect(statSync(join(store, name)).mode & 0o077, name).to.equal(0);
    }
  });
});

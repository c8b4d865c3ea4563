import {execFile} from 'node:child_process';
import {symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {inherited, shownKey, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const runFile = promisify(execFile);

/** What the author of a connector or a dashboard writes with a generated client. */
const journey = `
  import * as service from './client.js';
  const {URL: baseUrl, KEY: key} = process.env;
  const by = (apiKey: string | undefined) => ({baseUrl, headers: {Authorization: 'Bearer ' + apiKey}});
  const token = await service.createToken({ttl_seconds: 60}, by(key));
  if (token.status !== 201) throw new Error(token.data.code);
  const activated = await service.activate(
    {token: token.data.token, name: 'web-1'},
    {idempotencyKey: 'journey-1'},
    {baseUrl},
  );
  if (activated.status !== 201) throw new Error(activated.data.code);
  const {id, api_key: ownKey} = activated.data;
  const heartbeat = await service.heartbeat(id, {}, by(ownKey));
  if (heartbeat.status !== 200) throw new Error(heartbeat.data.code);
  const connector = await service.getApiConnectorsById(id, by(ownKey));
  const list = await service.list({limit: 10}, by(key));
  if (list.status !== 200) throw new Error(list.data.code);
  const refused = await service.list({}, by('ck_unknown'));
  // @ts-expect-error a name is needed
  service.activate({token: ''}, {}, {baseUrl});
  console.log(JSON.stringify({
    seconds: heartbeat.data.next_heartbeat_seconds,
    status: connector.status === 200 && connector.data.status,
    names: list.data.map(({name}) => name),
    refused: refused.status === 401 && refused.data.code,
  }));`;

describe('a client that oazapfts generates from docs/openapi.json', () => {
  const at = temporaryDirectory();
  const tool = (name: string, ...args: string[]) =>
    runFile(join(root, 'node_modules', '.bin', name), args, {cwd: at()});

  it('compiles, and creates a token, activates, sends a heartbeat, gets and lists', async () => {
    symlinkSync(join(root, 'node_modules'), at('node_modules'));
    writeFileSync(at('package.json'), '{"type": "module"}');
    await tool('oazapfts', join(root, 'docs', 'openapi.json'), 'client.ts');
    writeFileSync(at('journey.ts'), journey);
    const language = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await tool('tsc', ...language, '--skipLibCheck', 'journey.ts');
    const service = await startServe(['--sandbox']);
    const env = {...inherited, URL: service.url, KEY: await shownKey(service)};
    const {stdout} = await runFile(process.execPath, [at('journey.js')], {env});
    expect(JSON.parse(stdout)).to.deep.equal({
      seconds: 60,
      status: 'online',
      names: ['web-1'],
      refused: 'key_malformed',
    });
  });
});

import {spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {writeTls} from '../../support/network/certificates.js';
import {inherited, runChild, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

type Environment = Readonly<Record<string, string>>;

const read = (name: string) => readFileSync(join(root, 'contrib', 'docker', name), 'utf8');
const dockerfile = read('Dockerfile');

/** The environment that the image sets. */
const [, assignments = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
const ofImage: Environment = Object.fromEntries(
  assignments.split(/[\s\\]+/).map((word) => word.split('=', 2)),
);

const {environment: ofCompose}: {environment: Environment} = parse(read('compose.yaml')).services
  .connectorctl;

describe('the service of contrib/docker/compose.yaml, without a container engine,', () => {
  const at = temporaryDirectory();

  /** What the containers mount, in the directory of the test. */
  const mounted = (text: string) =>
    text.replace('/var/lib/connectorctl', at('data')).replace('/run/tls', at('tls'));

  it('serves over TLS with a key in its volume, and its health check notices when it does not', async () => {
    for (const name of ['data', 'tls']) mkdirSync(at(name), {mode: 0o700});
    writeTls((name) => at('tls', name));
    const all = {...ofImage, ...ofCompose};
    const env = Object.fromEntries(
      Object.entries(all).map(([name, text]) => [name, mounted(text)]),
    );
    const [, words = ''] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect(JSON.parse(words)).to.deep.equal(['serve']);
    const service = await startServe([], {env});
    const {port} = new URL(service.url);
    const [, check = '[]'] = /^ {2}CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [program, ...args]: [string, ...string[]] = JSON.parse(check);
    const health = (given: string) =>
      spawnSync(program, args, {env: {...inherited, ...env, CONNECTORCTL_PORT: given}}).status;
    expect([health(port), health('9')]).to.deep.equal([0, 1]);
    const created = await runChild(['token', 'create'], {
      env: {
        CONNECTORCTL_BASE_URL: `https://127.0.0.1:${port}`,
        CONNECTORCTL_API_KEY_FILE: join(env['CONNECTORCTL_STORE']!, 'first-api-key'),
        NODE_EXTRA_CA_CERTS: at('tls', 'cert.pem'),
      },
    });
    expect(created.code, created.stderr).to.equal(0);
    expect(await service.stop()).to.deep.equal({code: 0, signal: null});
  });
});

import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {request} from 'node:https';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {parseAllDocuments} from 'yaml';
import {certificate, privateKey} from '../../support/network/certificates.js';
import {closedPort} from '../../support/network/ports.js';
import {runChild, shownKey, startChild, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const runFile = promisify(execFile);
const directory = join(root, 'contrib', 'kubernetes');

interface Probe {
  readonly httpGet: {readonly path: string; readonly port: string; readonly scheme: string};
}
interface Container
  extends Readonly<Record<`${'startup' | 'liveness' | 'readiness'}Probe`, Probe>> {
  readonly args: readonly string[];
  readonly env: readonly {readonly name: string; readonly value?: string}[];
}
interface Pod {
  readonly spec: {readonly containers: readonly [Container]};
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly template: Pod;
    readonly jobTemplate: {readonly spec: {readonly template: Pod}};
  };
}

const files = readdirSync(directory);
const read = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(directory, name), 'utf8')).map((document) => document.toJS());
const podOf = ({kind, spec}: Manifest): Pod =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template : spec.template;
const workloads = files.flatMap((file) =>
  read(file)
    .filter(({kind}) => kind !== 'Service')
    .map((manifest) => ({file, manifest, pod: podOf(manifest)})),
);
const containerIn = (file: string) =>
  workloads.find((workload) => workload.file === file)!.pod.spec.containers[0];

/** The environment of a container, with paths in the directory of the test. */
const environment = ({env}: Container, here: (text: string) => string) =>
  Object.fromEntries(env.map(({name, value = ''}) => [name, here(value)]));

describe('the Kubernetes manifests', () => {
  const at = temporaryDirectory();

  /** What the compiler says of manifests as values of the types that are generated from the schemas of Kubernetes. */
  async function problemsOf(manifests: readonly Manifest[]): Promise<string> {
    const group = (apiVersion: string) => (apiVersion === 'v1' ? 'core/v1' : apiVersion);
    const source = manifests.map(({apiVersion, kind}, index) => {
      const type = `import('kubernetes-types/${group(apiVersion)}').${kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifests[index])};\n`;
    });
    symlinkSync(join(root, 'node_modules'), at('node_modules'));
    writeFileSync(at('manifests.ts'), source.join(''));
    const flags = ['--strict', '--noEmit', '--skipLibCheck', '--types', ''];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    return runFile(tsc, [...flags, ...modules, 'manifests.ts'], {cwd: at()}).then(
      () => '',
      (error) => error.stdout,
    );
  }

  it('match the schemas of Kubernetes', async () => {
    expect(await problemsOf(files.flatMap(read))).to.equal('');
  });

  it('serve.yaml starts a service that its probes find healthy and ready', async () => {
    const container = containerIn('serve.yaml');
    mkdirSync(at('tls'));
    writeFileSync(at('tls', 'tls.crt'), certificate);
    writeFileSync(at('tls', 'tls.key'), privateKey, {mode: 0o600});
    const env = environment(container, (text) => text.replace('/run/tls', at('tls')));
    const [command, ...flags] = container.args;
    expect(command).to.equal('serve');
    const service = await startServe([...flags, '--store', at('store')], {env});
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const {path, port, scheme} = container[probe].httpGet;
      expect({port, scheme}).to.deep.equal({port: 'https', scheme: 'HTTPS'});
      const sent = request(service.url + path, {ca: certificate}).end();
      const [{statusCode}] = await once(sent, 'response');
      expect(statusCode, probe).to.equal(200);
    }
  });

  it('agent.yaml activates a pod with its token once, and starts it without the token ever after', async () => {
    const container = containerIn('agent.yaml');
    const sandbox = await startServe(['--sandbox']);
    const port = await closedPort();
    const here = (text: string) =>
      text
        .replace('https://connectorctl:4480', sandbox.url)
        .replace('/run/secrets/activation', at('tokens'))
        .replace('/var/lib/connector', at())
        .replace('/etc/connectorctl/ca.pem', '')
        .replaceAll('8080', String(port))
        .replaceAll('$(POD_NAME)', 'agent-0');
    const env = environment(container, here);
    const key = {...env, CONNECTORCTL_API_KEY: await shownKey(sandbox)};
    const run = async (...words: string[]) => {
      const {code, stdout, stderr} = await runChild(words, {env: key});
      expect(code, stderr).to.equal(0);
      return stdout;
    };
    mkdirSync(at('tokens'));
    writeFileSync(at('tokens', 'agent-0'), await run('token', 'create'));
    for (const start of ['with the token', 'without it']) {
      const {process: pod, ended} = startChild(container.args.map(here), {env});
      try {
        const id = await firstOf(() => run('connector', 'list', '-o', 'id'));
        await run('connector', 'get', id, '--wait', 'online', '--wait-timeout', '30s');
      } finally {
        pod.kill('SIGTERM');
      }
      expect((await ended).code, start).to.equal(143);
      rmSync(at('tokens'), {recursive: true, force: true});
      await run('sandbox', 'advance', '1h');
    }
    const connectors = JSON.parse(await run('connector', 'list', '--json'));
    expect(connectors.map(({name}: {name: string}) => name)).to.deep.equal(['agent-0']);
  });
});

/** The first line of what a command prints, once it prints one. */
async function firstOf(print: () => Promise<string>): Promise<string> {
  for (;;) {
    const [line = ''] = (await print()).split('\n');
    if (line !== '') return line;
  }
}

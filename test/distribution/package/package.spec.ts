import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {root} from '../../support/sources.js';
import {suiteDirectory} from '../../support/temporary-directory.js';
import {inTurn, json, thirdPartyService} from '../../support/third-party.js';

const runFile = promisify(execFile);
interface Packed {
  readonly filename: string;
  readonly files: readonly {readonly path: string}[];
}

describe('the npm package', () => {
  let packed: Packed;
  let tarball: string;

  const inDirectory = suiteDirectory();
  const npm = async (...words: readonly string[]) => {
    const env = {PATH: process.env['PATH'], HOME: inDirectory('home'), npm_config_offline: 'true'};
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
    return runFile('npm', [...words, ...flags], {cwd: root, env});
  };

  before(async function () {
    this.timeout(360_000);
    mkdirSync(inDirectory('home'));
    const {stdout} = await npm('pack', '--json', '--pack-destination', inDirectory());
    const parsed: Packed[] | Record<string, Packed> = JSON.parse(stdout);
    [packed] = Object.values(parsed) as [Packed];
    tarball = inDirectory(packed.filename);
    await npm('install', '--global', '--prefix', inDirectory('prefix'), tarball);
  });

  it('contains only the program, the pages and the deployment files', async () => {
    const files = packed.files.map(({path}) => path).sort();
    const bundle = ['cli', 'client', 'conformance', 'csv', 'prometheus', 'prompts'];
    const built = [...bundle, 'server', 'start'].map((name) => `${name}.cjs`);
    const pages = [':(glob)*.md', 'contrib', 'docs'];
    const {stdout} = await runFile('git', ['ls-files', ...pages], {cwd: root});
    expect(files).to.deep.equal(
      [
        ...stdout.trim().split('\n'),
        ...['LICENSE', 'package.json', 'bin/package.json', 'bin/run.js'],
        ...['THIRD-PARTY-LICENSES.txt', 'connectorctl.1', 'sbom.cdx.json'].map(
          (name) => `dist/${name}`,
        ),
        ...['errors', 'index', 'sandbox'].flatMap((name) => [
          `dist/${name}.js`,
          `dist/${name}.d.ts`,
        ]),
        ...['client/reasons', 'client/types', 'contract/limits', 'domain/json'].map(
          (name) => `dist/${name}.d.ts`,
        ),
        ...built.map((name) => `dist/${name}`),
      ].sort(),
    );
  });

  it('has every file that its pages link to', () => {
    const installed = inDirectory('prefix', 'lib', 'node_modules', 'connectorctl');
    const pages = packed.files.map(({path}) => path).filter((path) => path.endsWith('.md'));
    expect(pages).to.include.members(['README.md', 'docs/guides/monitor.md']);
    const broken = pages.flatMap((page) =>
      [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(join(installed, target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('has no dependencies and no install scripts', () => {
    expect(readdirSync(inDirectory('prefix', 'lib', 'node_modules'))).to.deep.equal([
      'connectorctl',
    ]);
    const installed = inDirectory('prefix', 'lib', 'node_modules', 'connectorctl');
    expect(existsSync(join(installed, 'node_modules'))).to.equal(false);
    const pjson = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const needed = ['dependencies', 'optionalDependencies', 'peerDependencies'];
    expect(needed.filter((kind) => kind in pjson)).to.deep.equal([]);
    const atInstall = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare'];
    expect(atInstall.filter((name) => name in pjson.scripts)).to.deep.equal([]);
    expect(existsSync(join(installed, 'binding.gyp'))).to.equal(false);
  });

  it('includes the license of every bundled package, and lists it in a bill of materials', () => {
    const dist = inDirectory('prefix', 'lib', 'node_modules', 'connectorctl', 'dist');
    const licenses = readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const built = join(root, 'dist');
    const maps = readdirSync(built).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap(
      (name): string[] => JSON.parse(readFileSync(join(built, name), 'utf8')).sources,
    );
    // Source maps of bundled packages may name sources that were never published.
    const names = sources
      .flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [])
      .filter((name) => existsSync(join(root, 'node_modules', name)));
    expect(new Set(names).size).to.be.greaterThan(50);
    const missing = [...new Set(names)].filter((name) => !licenses.includes(`\n${name} `));
    expect(missing).to.deep.equal([]);
    const bom: {components: {name: string; version: string; purl: string; hashes: object[]}[]} =
      JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'));
    expect(bom).to.include({bomFormat: 'CycloneDX', specVersion: '1.5', version: 1});
    const listed = new Set(bom.components.map(({name}) => name));
    expect([...new Set(names)].filter((name) => !listed.has(name))).to.deep.equal([]);
    for (const {name, version, purl, hashes} of bom.components) {
      expect(purl).to.equal(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes, name).to.have.length(1);
    }
  });

  it('passes publint and attw', async function () {
    this.timeout(180_000);
    const bin = (name: string) => join(root, 'node_modules', '.bin', name);
    await runFile(bin('publint'), [tarball, '--strict']);
    // The supported Node versions can require an ECMAScript module.
    await runFile(bin('attw'), [tarball, '--profile', 'esm-only']);
  });

  describe('as a library', () => {
    before(() => {
      mkdirSync(inDirectory('app', 'node_modules'), {recursive: true});
      const installed = inDirectory('prefix', 'lib', 'node_modules', 'connectorctl');
      return runFile('cp', ['-r', installed, inDirectory('app', 'node_modules')]);
    });

    it('exports a client and a sandbox that work without any other package, with one class of errors', async () => {
      const service = await thirdPartyService(json({id: 'con_1', name: 'web'}));
      const program = `
        import {AppError, createClient, exitCodes} from 'connectorctl';
        import {startSandbox} from 'connectorctl/sandbox';
        const client = createClient({baseUrl: '${service.url}', apiKey: 'a-key'});
        const {name} = await client.getConnector('con_1');
        const nowhere = createClient({baseUrl: 'http://127.0.0.1:1', retries: 0});
        const error = await nowhere.getConnector('con_1').catch((error) => error);
        const refused = await startSandbox({seed: -1}).catch((error) => error);
        console.log(name, error instanceof AppError, error.kind, exitCodes[error.kind].code);
        console.log(refused instanceof AppError);`;
      writeFileSync(inDirectory('app', 'program.mjs'), program);
      const {stdout} = await runFile(process.execPath, [inDirectory('app', 'program.mjs')]);
      expect(stdout).to.equal('web true unavailable 6\ntrue\n');
    });

    it('keeps the connector of the guide alive through failures', async () => {
      const guide = readFileSync(join(root, 'docs', 'guides', 'build-a-service.md'), 'utf8');
      const [, sample = ''] = /```js\n(import .*?)```/s.exec(guide) ?? [];
      const soon = {next_heartbeat_seconds: 1};
      const answers = inTurn(
        json({id: 'con_1', name: 'web-1', api_key: 'key'}, 201),
        json(soon),
        json({}, 503),
        json({}, 429, {'retry-after': '1'}),
        json(soon),
      );
      const service = await thirdPartyService(answers);
      const file = inDirectory('app', 'sample.mjs');
      writeFileSync(file, sample.replace('http://127.0.0.1:4480', service.url));
      const env = {...process.env, CONNECTORCTL_ACTIVATION_TOKEN: 'act_1'};
      const program = spawn(process.execPath, [file], {env});
      const ended = once(program, 'exit');
      await Promise.race([service.requested(6), ended]);
      program.kill();
      expect(await ended).to.deep.equal([null, 'SIGTERM']);
    });

    it('runs the test of the guide to the sandbox, which has at most fifteen lines, with node:test', async () => {
      const guide = readFileSync(join(root, 'docs', 'sandbox.md'), 'utf8');
      const [, sample = ''] = /```js\n(.*?)```/s.exec(guide) ?? [];
      expect(sample.trim().split('\n')).to.have.length.of.at.most(15);
      writeFileSync(inDirectory('app', 'sandbox.test.mjs'), sample);
      const {stdout} = await runFile(process.execPath, [
        ...['--test', '--test-reporter=tap', inDirectory('app', 'sandbox.test.mjs')],
      ]);
      expect(stdout)
        .to.match(/^# pass 1$/m)
        .and.match(/^# fail 0$/m);
    });

    it('runs fifty sandboxes in one process, prints nothing, and leaves nothing that keeps the process alive', async () => {
      const program = `
        import {startSandbox} from 'connectorctl/sandbox';
        const signals = process.eventNames();
        const many = await Promise.all(Array.from({length: 50}, () => startSandbox()));
        const responses = await Promise.all(many.map(({baseUrl}) => fetch(baseUrl + '/healthz')));
        await Promise.all(responses.map((response) => response.text()));
        if (process.eventNames().length > signals.length) process.exitCode = 3;
        await Promise.all(many.map((sandbox) => sandbox.close()));
        const left = await Promise.allSettled(many.map(({baseUrl}) => fetch(baseUrl)));
        if (left.some(({status}) => status === 'fulfilled')) process.exitCode = 4;`;
      writeFileSync(inDirectory('app', 'fifty.mjs'), program);
      const run = runFile(process.execPath, [inDirectory('app', 'fifty.mjs')], {timeout: 60_000});
      expect(await run).to.deep.equal({stdout: '', stderr: ''});
    });

    it('has types that need no other package', async function () {
      this.timeout(180_000);
      const program = `
        import {type Client, type ConnectorReading, createClient} from 'connectorctl';
        import {type Sandbox, startSandbox} from 'connectorctl/sandbox';
        const client: Client = createClient({baseUrl: 'http://127.0.0.1:1'});
        const names = async (): Promise<(string | undefined)[]> => {
          const all: ConnectorReading[] = [];
          for await (const connector of client.listConnectors()) all.push(connector);
          return all.map(({name}) => name);
        };
        // @ts-expect-error a base URL is needed
        createClient({});
        const sandbox: Sandbox = await startSandbox({clock: 'frozen', seed: 7});
        await sandbox.advance('10m');
        // @ts-expect-error a clock is frozen or running
        await startSandbox({clock: 'slow'});
        export {names};`;
      writeFileSync(inDirectory('app', 'program.mts'), program);
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      const typeRoots = join(root, 'node_modules', '@types');
      const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
      const types = ['--typeRoots', typeRoots, '--types', 'node'];
      await runFile(tsc, [...flags, ...types, inDirectory('app', 'program.mts')], {
        cwd: inDirectory('app'),
      });
    });
  });
});

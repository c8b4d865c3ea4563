import {readFileSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild} from '../support/child.js';
import {organizationKey} from '../support/secrets.js';
import {root} from '../support/sources.js';
import {testTarget} from '../support/target.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

describe('version', () => {
  const at = temporaryDirectory();
  const run = (words: readonly string[]) => runChild(words, {env: {XDG_CACHE_HOME: at()}});

  it('prints the same as --version', async () => {
    const {code, stdout} = await run(['version']);
    expect({code, stdout}).to.deep.equal({
      code: 0,
      stdout: `connectorctl/${version} ${platform} node-${process.version}\n`,
    });
    expect((await run(['--version'])).stdout).to.equal(stdout);
  });

  it('prints versions, platform, build and code cache with --version --json and version --json', async () => {
    for (const words of [
      ['--version', '--json'],
      ['version', '--json'],
      ['-v', '--json'],
    ]) {
      const {build, code_cache: cache, ...others} = JSON.parse((await run(words)).stdout);
      expect(others).to.deep.equal({version, node: process.version, platform});
      // The single modules have no build and no cache.
      if (testTarget === 'source') {
        expect([build, cache]).to.deep.equal([null, null]);
        continue;
      }
      expect(build).to.match(/^[0-9a-f]{12}$/);
      expect(cache.directory).to.equal(at('connectorctl', 'compiled'));
    }
  });

  it('shows with --verbose whether the code cache is cold, warm or off', async () => {
    const line = async (env = {}) => {
      const words = ['--version', '--verbose'];
      const {stdout} = await runChild(words, {env: {XDG_CACHE_HOME: at(), ...env}});
      return /^code cache +(\w+)/m.exec(stdout)?.[1];
    };
    const found = [await line(), await line(), await line({NODE_DISABLE_COMPILE_CACHE: '1'})];
    const states = testTarget === 'source' ? ['none', 'none', 'none'] : ['cold', 'warm', 'off'];
    expect(found).to.deep.equal(states);
  });
});

describe('doctor --report', () => {
  const at = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  it('writes a file for its owner with versions, settings and findings', async () => {
    const {url} = await thirdPartyService(json([]));
    const env = {CONNECTORCTL_API_KEY: organizationKey(), CONNECTORCTL_BASE_URL: url};
    const {code, stderr} = await runChild(['doctor', '--report', at('r.json')], {env});
    expect({code, stderr}).to.deep.equal({
      code: 0,
      stderr: `Wrote the report ${at('r.json')}, without secrets.\n`,
    });
    if (process.platform !== 'win32') expect(statSync(at('r.json')).mode & 0o777).to.equal(0o600);
    const report = JSON.parse(readFileSync(at('r.json'), 'utf8'));
    expect(report).to.include({schema: 1, version, node: process.version, platform});
    expect(report.variables).to.include('CONNECTORCTL_API_KEY');
    expect(report.findings.at(-1)).to.include({name: 'key', verdict: 'ok'});
  });

  it('writes neither a key, nor the user, password and query of a URL, nor the home directory', async () => {
    const own = 'opaque-key-of-a-service-0123456789';
    const {url} = await thirdPartyService(json({detail: `key ${own} is unknown`}, 401));
    const file = join(homedir(), 'no-such-key');
    for (const [words, env] of [
      [[], {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: own}],
      [['--base-url', 'https://jane:hunter2@one.test/?token=hunter3'], {}],
      [['--base-url', url, '--api-key-file', file], {}],
    ] as const) {
      const home = {HOME: homedir(), USERPROFILE: homedir(), XDG_CONFIG_HOME: at()};
      const all = ['doctor', ...words, '--report', at('r.json')];
      const {code} = await runChild(all, {env: {...home, ...env}});
      expect(code).not.to.equal(0);
      const text = readFileSync(at('r.json'), 'utf8');
      expect(JSON.parse(text).findings.at(-1).verdict).to.equal('fail');
      for (const secret of [own, 'jane', 'hunter', homedir()]) expect(text).not.to.include(secret);
    }
  });

  it('fails with the path when it cannot write the file', async () => {
    const path = at('none', 'r.json');
    const {code, stderr} = await runChild(['doctor', '--report', path]);
    expect(code).to.equal(2);
    expect(stderr).to.include(`Error: Cannot write the report ${path}: no such file or directory`);
  });
});

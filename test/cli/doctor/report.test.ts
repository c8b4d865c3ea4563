import {readFileSync, statSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {runChild} from '../../support/child.js';
import {organizationKey} from '../../support/secrets.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {
  closeThirdPartyServices,
  json,
  thirdPartyService,
} from '../../support/third-party-service.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const platform = `${process.platform}-${process.arch}`;

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

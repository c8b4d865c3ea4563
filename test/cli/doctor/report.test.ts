import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import type {Finding} from '../../../src/domain/fleet/findings.js';
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

  it('writes a file with the program, the names of variables, the settings and the steps', async () => {
    const {url} = await thirdPartyService(json([]));
    const env = {CONNECTORCTL_API_KEY: organizationKey(), CONNECTORCTL_BASE_URL: url};
    const {code, stderr} = await runChild(['doctor', '--report', `json=${at('r.json')}`], {env});
    expect({code, stderr}).to.deep.equal({
      code: 0,
      stderr: `Wrote the report ${at('r.json')}, without secrets.\n`,
    });
    const report = JSON.parse(readFileSync(at('r.json'), 'utf8'));
    expect(report).to.include({schema: 1, command: 'doctor', service: url, verdict: 'pass'});
    const {findings} = report as {findings: Finding[]};
    const [program, variables] = findings;
    expect(program?.details).to.include({version, node: process.version, platform});
    expect(variables?.message).to.include('CONNECTORCTL_API_KEY');
    expect(findings.find(({subject}) => subject === 'base URL')?.message).to.include(url);
    expect(findings.at(-1)).to.include({id: 'key', status: 'pass'});
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
      const all = ['doctor', ...words, '--report', `json=${at('r.json')}`];
      const {code} = await runChild(all, {env: {...home, ...env}});
      expect(code).not.to.equal(0);
      const text = readFileSync(at('r.json'), 'utf8');
      expect(JSON.parse(text).findings.at(-1).status).to.equal('fail');
      for (const secret of [own, 'jane', 'hunter', homedir()]) expect(text).not.to.include(secret);
    }
  });
});

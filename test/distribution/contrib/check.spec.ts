import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {runScript} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

const read = (name: string) => readFileSync(join(root, 'contrib', 'check', name), 'utf8');

describe('the examples of contrib/check', () => {
  const at = temporaryDirectory();

  /** Runs a shell command in a directory with an inventory, with a service of connectors with these statuses. */
  async function shell(command: string, statuses: readonly string[], args: readonly string[] = []) {
    writeFileSync(at('fleet.csv'), 'name\nweb-0\nweb-1\n');
    const connectors = statuses.map((status, n) => ({id: `c-${n}`, name: `web-${n}`, status}));
    const {url} = await thirdPartyService(json(connectors));
    const env = {CONNECTORCTL_BASE_URL: url, CONNECTORCTL_API_KEY: organizationKey()};
    return runScript(['-c', command, 'sh', ...args], {directory: at(), env});
  }

  it('the step of the GitHub workflow writes its report and the job summary, and fails', async () => {
    const {steps} = parse(read('github-actions.yml')).jobs.check;
    const {run} = steps.find(({name}: {name?: string}) => name === 'Check the fleet');
    const script = `GITHUB_STEP_SUMMARY='${at('summary.md')}'\n${run}`;
    const bad = await shell(script, ['online', 'offline']);
    expect(readFileSync(at('summary.md'), 'utf8')).to.include('| **fail** | `min-online` |');
    expect(bad.code).to.equal(9);
    expect(existsSync(at('fleet.xml'))).to.equal(true);
    expect((await shell(script, ['online', 'online'])).code).to.equal(0);
  });

  it('the script of the GitLab job fails and writes its report', async () => {
    const [script] = parse(read('gitlab-ci.yml'))['check-fleet'].script;
    expect((await shell(script, ['online', 'offline'])).code).to.equal(9);
    expect(existsSync(at('fleet.xml'))).to.equal(true);
  });

  it('the Icinga command is a plugin that reports OK, WARNING and CRITICAL', async () => {
    const text = read('icinga2.conf');
    const [, list = ''] = /command = \[ (.+) \]/.exec(text) ?? [];
    const [, ...words] = [...list.matchAll(/"([^"]+)"/g)].map(([, word]) => word);
    const line = ['connectorctl', ...words, '--max-offline 50% --warn max-offline=1%'].join(' ');
    for (const [statuses, code, state] of [
      [['online', 'online'], 0, 'OK'],
      [['online', 'offline'], 1, 'WARNING'],
      [['offline', 'offline'], 2, 'CRITICAL'],
    ] as const) {
      const run = await shell(line, statuses);
      expect(run.stdout).to.match(new RegExp(`^CONNECTORS ${state} - .+ \\| 'min-total'=2`));
      expect(run.code).to.equal(code);
    }
  });
});

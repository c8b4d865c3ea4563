import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {runScript} from '../../support/process/child.js';
import {otherService} from '../../support/services/other.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {thirdPartyService} from '../../support/third-party.js';

describe('the example of contrib/conformance', () => {
  const at = temporaryDirectory();
  const content = readFileSync(join(root, 'contrib', 'conformance', 'github-actions.yml'), 'utf8');

  it('the steps of the GitHub workflow check the service, fail on a failure, and add to the summary', async () => {
    const {steps} = parse(content).jobs.conformance;
    const stepOf = (start: string) =>
      steps.find(({name = ''}: {name?: string}) => name.startsWith(start));
    const [check, summary] = [stepOf('Check'), stepOf('Add')];
    const keys = {'key-one': 'one', 'key-two': 'two'};
    const service = otherService({keys, tokenLifetime: 1000});
    const {url} = await thirdPartyService(service);
    const wrong = await thirdPartyService(otherService({keys, misnamesExpiry: true}));
    const shell = async (script: string, writesTo = '127.0.0.1', baseUrl = url) => {
      const env = {
        CONNECTORCTL_BASE_URL: baseUrl,
        CONNECTORCTL_SECOND_API_KEY: 'key-two',
        CONNECTORCTL_API_KEY: 'key-one',
        WRITES_TO: writesTo,
        GITHUB_STEP_SUMMARY: at('summary.md'),
      };
      return (await runScript(['-e', '-c', script], {directory: at(), env})).code;
    };
    expect(await shell(check.run, '')).to.equal(0);
    expect(service.connectors).to.deep.equal([]);
    expect(await shell(check.run)).to.equal(0);
    expect(service.connectors).not.to.be.empty;
    expect(readFileSync(at('conformance.xml'), 'utf8')).to.include('<testsuites');
    expect(await shell(summary.run)).to.equal(0);
    expect(readFileSync(at('summary.md'), 'utf8')).to.include('4.1/expires-at');
    expect(await shell(check.run, '127.0.0.1', wrong.url)).to.equal(9);
  });
});

import {chmodSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {isInstalled} from '../../support/notice.js';
import {runChild, runScript, type Service, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const page = readFileSync(join(root, 'docs', 'guides', 'automation.md'), 'utf8');
const marker = '<!-- run by test/distribution/contrib/automation.spec.ts -->\n\n```sh\n';
const lines = page
  .split(marker)
  .slice(1)
  .flatMap((rest) => rest.slice(0, rest.indexOf('```')).trim().split('\n'));

/** What was asked of each tool to print its file in outputs/. */
const tools = {
  terraform: {words: 'output -json connectors', output: 'terraform-output.json'},
  'ansible-inventory': {words: '--list', output: 'ansible-inventory.json'},
  kubectl: {
    words: 'get pods --selector app.kubernetes.io/name=agent --output json',
    output: 'kubectl-get-pods.json',
  },
} as const;
const names = {
  terraform: ['db-1', 'web-1', 'web-2'],
  'ansible-inventory': ['db-1', 'web-1', 'web-2'],
  kubectl: ['agent-0', 'agent-1'],
} satisfies Record<keyof typeof tools, readonly string[]>;
const toolOf = (line: string) => line.split(' ')[0] as keyof typeof tools;

describe('the lines of docs/guides/automation.md', () => {
  const at = temporaryDirectory();
  let sandbox: Service;
  let env: Record<string, string>;
  const drive = async (...words: string[]) => {
    const {code, stderr} = await runChild(['sandbox', ...words], {env});
    expect(code, stderr).to.equal(0);
  };

  const reset = async () => {
    const {ok} = await fetch(`${sandbox.url}/_sandbox/reset`, {method: 'POST'});
    expect(ok).to.equal(true);
  };

  before(async () => {
    sandbox = await startServe(['--sandbox', '--log-level', 'silent']);
    const url = {CONNECTORCTL_BASE_URL: sandbox.url};
    const response = await fetch(`${sandbox.url}/_sandbox/keys`, {method: 'POST'});
    const {api_key: key} = (await response.json()) as {readonly api_key: string};
    env = {...url, CONNECTORCTL_API_KEY: key};
  });
  beforeEach(async () => {
    await reset();
    for (const [tool, {words, output}] of Object.entries(tools)) {
      const path = join(root, 'test/distribution/contrib/outputs', output);
      writeFileSync(at(tool), `#!/bin/sh\n[ "$*" = '${words}' ] && cat '${path}'\n`);
      chmodSync(at(tool), 0o755);
    }
  });
  after(() => sandbox?.stop('SIGKILL'));

  if (isInstalled('jq')) {
    for (const line of lines.filter((text) => text.includes('connector check'))) {
      it(`pass with the connectors of ${toolOf(line)}, and fail without one of them`, async () => {
        const present = [...names[toolOf(line)]];
        const named = (list: readonly string[]) => list.flatMap((name) => ['--name', name]);
        await drive('fleet', ...named(present));
        const passed = await runScript(['-c', line], {directory: at(), env});
        expect(passed.code, passed.stdout + passed.stderr).to.equal(0);
        await reset();
        await drive('fleet', ...named(present.slice(1)));
        const failed = await runScript(['-c', line], {directory: at(), env});
        expect(failed.code, failed.stderr).to.equal(9);
        expect(failed.stdout).to.include(present[0]);
      });
    }

    it('of Ansible take the state that a host is expected in from its variable', async () => {
      const line = lines.find((text) => toolOf(text) === 'ansible-inventory') ?? '';
      const check = async () => (await runScript(['-c', line], {directory: at(), env})).code;
      const online = ['--name', 'db-1', '--name', 'web-1'];
      await drive('fleet', ...online, '--name', 'web-2', '--offline', '1');
      expect(await check()).to.equal(0);
      await reset();
      await drive('fleet', '--name', 'web-2', ...online, '--offline', '1');
      expect(await check()).to.equal(9);
    });

    for (const line of lines.filter((text) => text.includes('connector enroll'))) {
      it(`enroll the machines of ${toolOf(line)}`, async () => {
        const {code, stderr} = await runScript(['-c', line], {directory: at(), env});
        expect(code, stderr).to.equal(0);
        const files = readdirSync(at('out')).filter((name) => name.endsWith('.json'));
        expect(files).to.have.members(names[toolOf(line)].map((name) => `${name}.json`));
      });
    }
  }
});

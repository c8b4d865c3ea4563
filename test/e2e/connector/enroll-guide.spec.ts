import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runScript, shownKey, startServe} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const guide = readFileSync(join(root, 'docs', 'guides', 'enroll.md'), 'utf8');

/** The code blocks of the guide in a language. */
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );

describe('docs/guides/enroll.md', () => {
  const at = temporaryDirectory();

  it('leads from its list to a green check with the command lines that it shows', async () => {
    const service = await startServe(['--sandbox', '--log-level', 'silent'], {home: at()});
    writeFileSync(at('machines.csv'), blocks('csv')[0] ?? '');
    const scripts = blocks('sh');
    expect(scripts).to.have.length(4);
    for (const script of scripts) {
      const key = await shownKey(service);
      const env = {CONNECTORCTL_BASE_URL: service.url, CONNECTORCTL_API_KEY: key};
      const {code, stderr} = await runScript(['-ec', script], {directory: at(), env});
      expect(code, `${script}\n${stderr}`).to.equal(0);
    }
    expect(readdirSync(at('out')).sort()).to.deep.equal(['db-1.json', 'web-1.json', 'web-2.json']);
  });
});

import {spawnSync} from 'node:child_process';
import {chmodSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {program, startServe} from '../support/child.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

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
    try {
      await service.until(/CONNECTORCTL_API_KEY_FILE=\S+\n/);
      const [, key = ''] = /CONNECTORCTL_API_KEY_FILE=(\S+)/.exec(service.stderr()) ?? [];
      writeFileSync(at('connectorctl'), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`);
      chmodSync(at('connectorctl'), 0o755);
      writeFileSync(at('machines.csv'), blocks('csv')[0] ?? '');
      const scripts = blocks('sh');
      expect(scripts).to.have.length(4);
      for (const script of scripts) {
        const {status, stderr} = spawnSync('sh', ['-ec', script], {
          cwd: at(),
          encoding: 'utf8',
          env: {
            PATH: `${at()}:${process.env['PATH']}`,
            HOME: at(),
            CONNECTORCTL_BASE_URL: service.url,
            CONNECTORCTL_API_KEY_FILE: key,
          },
        });
        expect(status, `${script}\n${stderr}`).to.equal(0);
      }
      expect(readdirSync(at('out')).sort()).to.deep.equal([
        'db-1.json',
        'web-1.json',
        'web-2.json',
      ]);
    } finally {
      await service.stop('SIGKILL');
    }
  });
});

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {runCommand} from '../../support/command/run-command.js';
import {root} from '../../support/sources.js';

const manifest: {readonly commands: Readonly<Record<string, unknown>>} = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);
const commands = Object.keys(manifest.commands).map((id) => id.split(':'));
const topics = [...new Set(commands.filter(([, name]) => name).map(([topic]) => topic ?? ''))];

// Nothing listens there, whatever runs on this machine.
const env = {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1'};

describe('the bundle', () => {
  const lines: string[][] = [
    ['--help'],
    ['help'],
    ['help', 'connector', 'get'],
    ['help', 'nothing'],
    ['--version'],
    ['-v'],
    [],
    ['conector', 'lst'],
    ['connector', 'get', 'a', 'b'],
    ['connector', 'get', '--no-such-flag'],
    ['connector', 'get', '--no-such-flag', '--json'],
    ['connector', 'enroll', 'list', '--parallel', 'many'],
    ['connector', 'list', '-o', 'xml'],
    ['connector', 'list', '--timeout', 'soon'],
    ...topics.map((topic) => [topic]),
    ...[...topics.map((topic) => [topic]), ...commands].map((words) => [...words, '--help']),
  ];
  for (const argv of lines) {
    it(`prints the same as the sources for: ${argv.join(' ') || '(no arguments)'}`, async () => {
      const bundle = await runCommand(argv, env, 'bundle');
      expect(bundle).to.deep.equal(await runCommand(argv, env, 'source'));
      expect(bundle.stdout + bundle.stderr).not.to.equal('');
    });
  }
});

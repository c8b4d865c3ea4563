import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Interfaces} from '@oclif/core';
import {expect} from 'chai';
import {commandRows, limitRows} from '../../../src/cli/errors/other-words.js';
import {runCommand} from '../../support/command/run-command.js';
import {root} from '../../support/sources.js';

const {commands}: Interfaces.Manifest = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);

/** Commands of other tools: by the help of the real program in Debian 12, else by the page that has them. */
const tools: readonly (readonly [tool: string, source: string, words: string])[] = [
  ['GitHub CLI 2.23.0', 'gh auth --help', 'auth login, auth logout, auth status'],
  ['GitHub CLI 2.45.0', 'Ubuntu 24.04, man gh-auth', 'auth switch'],
  [
    'Docker 20.10.24',
    'docker --help',
    'create, events, info, inspect, logs, ps, rename, rm, start, top, update, version, wait',
  ],
  ['kubectl 1.20.2', 'kubectl --help', 'create, delete, describe, edit, logs, top, version, wait'],
  [
    'kubectl 1.20.2',
    'kubectl config --help',
    'config current-context, config delete-context, config get-contexts, config set, config set-context, config use-context, config view',
  ],
  [
    'GitLab Runner 15.3.0',
    'gitlab-runner --help',
    'list, register, start, status, unregister, verify',
  ],
  [
    'cloudflared',
    'developers.cloudflare.com, Useful commands, 2026-09-11',
    'create, delete, list, update, version',
  ],
  ['Tailscale', 'fig.io/manual/tailscale', 'ping, status, up, version'],
];

/** The words of a row, each on its own. */
const split = (typed: string) => typed.split(', ');

describe('the table of words from other tools', () => {
  it('has at most forty rows, and each word once', () => {
    const typed = [...commandRows, ...limitRows].flatMap(([words]) => split(words));
    expect(commandRows.length + limitRows.length).to.be.at.most(40);
    expect(typed).to.deep.equal([...new Set(typed)]);
    expect([...commandRows, ...limitRows].flat()).not.to.include('');
  });

  for (const [typed, answer] of commandRows) {
    it(`answers ${typed} with a command or a flag that exists: ${answer}`, () => {
      const flags = answer.match(/--[\w-]+/g) ?? [];
      const id = answer.replace(/ ?(?:--|[A-Z]).*/, '').replaceAll(' ', ':');
      if (answer === '--version') return;
      const known = id === '' ? Object.values(commands) : [commands[id]];
      expect(known, id).not.to.include(undefined);
      for (const flag of flags) {
        expect(known.some((command) => command && flag.slice(2) in command.flags)).to.equal(true);
      }
    });
  }

  it('has no words that are a command here', () => {
    const ids = Object.keys(commands).map((id) => id.replaceAll(':', ' '));
    const typed = [...commandRows, ...limitRows].flatMap(([words]) => split(words));
    expect(typed.filter((words) => ids.includes(words))).to.deep.equal([]);
    // What may stand without its topic must not be another command with it.
    const inTopic = [...limitRows].flatMap(([words]) => split(words));
    expect(inTopic.filter((words) => ids.includes(`connector ${words}`))).to.deep.equal([]);
  });

  it('names what cannot be done as docs/limits.md does', () => {
    const page = readFileSync(join(root, 'docs/limits.md'), 'utf8');
    for (const [, want] of limitRows) expect(page).to.include(`\n| ${want} |`);
  });

  for (const [tool, source, words] of tools) {
    it(`answers the commands of ${tool} (${source})`, async () => {
      for (const line of split(words)) {
        const {code, stderr} = await runCommand(line.split(' '));
        expect(code, line).to.equal(2);
        expect(stderr, line).to.match(
          /^Error: No such command: .*\n {2}(?:Did you mean: connectorctl |There is no way to )\S/,
        );
      }
    });
  }

  for (const [line, hint] of [
    ['help ls', 'Did you mean: connectorctl connector list'],
    ['connector status con_1', 'Did you mean: connectorctl connector get ID'],
    [
      'connector rm con_1',
      "There is no way to remove a connector through the service. On the service's machine: connectorctl store remove ID",
    ],
    ['connector list web', 'Did you mean: connectorctl connector list --name GLOB'],
    ['connector list --server x', 'Did you mean: connectorctl connector list --base-url URL'],
  ] as const) {
    it(`answers: connectorctl ${line}`, async () => {
      const {code, stderr} = await runCommand(line.split(' '));
      expect(code).to.equal(2);
      expect(stderr.split('\n')[1]).to.equal(`  ${hint}`);
    });
  }

  it('does not offer a flag that the command lacks', async () => {
    const {stderr} = await runCommand(['key', 'list', '--server', 'x']);
    expect(stderr).to.equal('Error: No such flag: --server\n  See: connectorctl key list --help\n');
  });
});

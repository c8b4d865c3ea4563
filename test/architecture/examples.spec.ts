import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {firstKeyFile, runScript, startService} from '../support/process/child.js';
import {root, sourceFiles} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {documents} from './documents.js';

interface ManifestCommand {
  readonly examples?: readonly string[];
  readonly hidden?: boolean;
  readonly flags: Readonly<Record<string, {readonly char?: string; readonly aliases?: string[]}>>;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const {commands} = JSON.parse(read('oclif.manifest.json')) as {
  commands: Readonly<Record<string, ManifestCommand>>;
};
const firstWords = new Set(Object.keys(commands).map((id) => id.split(':')[0]));

// Help leaves out hidden commands.
const shown = Object.entries(commands).filter(([, {hidden}]) => hidden !== true);
const examples = shown.map(([id, command]) => ({
  id,
  lines: (command.examples ?? []).map((line) =>
    line
      .replaceAll('<%= config.bin %>', 'connectorctl')
      .replaceAll('<%= command.id %>', id.replace(':', ' ')),
  ),
}));

/** The command lines in a text: what follows the program's name, up to a pipe, comment or line end. */
function commandLines(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w/@.-])connectorctl ([^`|;)#&\n]*)/g)]
    .map(([, words = '']) => words.trim())
    .filter((words) => firstWords.has(words.split(/[\s.,:]/)[0]));
}

/** What is wrong with a command line; undefined when its command and flags exist. */
function fault(line: string): string | undefined {
  // Neither a quoted value nor a wrapped command is ours.
  const [own = ''] = line.replace(/'[^']*'/g, 'VALUE').split(' -- ');
  const words = own.split(/\s+/);
  const [topic = '', verb = '', third] = words.map((word) => word.replace(/[.,:'…]+$/, ''));
  const command =
    commands[`${topic}:${verb}:${third}`] ?? commands[`${topic}:${verb}`] ?? commands[topic];
  if (command === undefined) return /^[a-z]+$/.test(verb) ? `no such command: ${line}` : undefined;
  const known = Object.entries(command.flags).flatMap(([name, {char, aliases = []}]) => [
    ...[name, ...aliases].map((flag) => `--${flag}`),
    ...(char === undefined ? [] : [`-${char}`]),
  ]);
  const flags = words.flatMap((word) => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? []);
  const unknown = flags.find((flag) => ![...known, '--help'].includes(flag));
  return unknown === undefined ? undefined : `no ${unknown}: ${line}`;
}

describe('command lines in documents, comments and help', () => {
  const texts = [
    ...documents,
    ...sourceFiles().map(({path, text}) => ({path, text})),
    ...examples.map(({id, lines}) => ({path: `examples of ${id}`, text: lines.join('\n')})),
  ];

  it('name only commands and flags that exist', () => {
    const lines = texts.flatMap(({path, text}) => commandLines(text).map((line) => ({path, line})));
    expect(lines.length).to.be.greaterThan(60);
    const faults = lines.flatMap(({path, line}) => {
      const wrong = fault(line);
      return wrong === undefined ? [] : [`${path}: ${wrong}`];
    });
    expect(faults).to.deep.equal([]);
  });
});

/** Output without what differs from run to run. */
function steady(output: string): string {
  return output
    .replaceAll(/con_\w{26}/g, 'con_ID')
    .replaceAll(/\d{4}-[\d-]+T[\d:.]+Z/g, 'TIME')
    .replaceAll(/\bnow\b|\d+s ago/g, 'now')
    .replaceAll(/in \d+s/g, 'in SECONDS');
}

describe('the walk-through of README.md', () => {
  const directory = temporaryDirectory();
  const [, session = ''] =
    /<!-- run by [\w/.]+ -->\n\n```console\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  const steps = session.split(/^\$ /m).slice(1);

  it('prints what the page shows', async () => {
    expect(steps).to.have.length.above(2);
    const service = await startService(directory('store'));
    const keyFile = await firstKeyFile(service);
    for (const step of steps) {
      const [line = '', ...output] = step.split('\n');
      const {code, stdout, stderr} = await runScript(['-c', `umask 022; ${line}`], {
        directory: directory(),
        env: {CONNECTORCTL_API_KEY_FILE: keyFile, CONNECTORCTL_BASE_URL: service.url},
      });
      expect(code, stderr).to.equal(0);
      expect(stderr, line).not.to.match(/warning|error/i);
      expect(steady(stdout), line).to.equal(steady(output.join('\n')));
    }
  });
});

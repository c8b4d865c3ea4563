import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root, sourceFiles} from '../support/sources.js';

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

// Nobody is shown a hidden command, nor its help.
const shown = Object.entries(commands).filter(([, {hidden}]) => hidden !== true);
const examples = shown.map(([id, command]) => ({
  id,
  lines: (command.examples ?? []).map((line) =>
    line
      .replaceAll('<%= config.bin %>', 'connectorctl')
      .replaceAll('<%= command.id %>', id.replace(':', ' ')),
  ),
}));

/** The command lines in a text: from the program's name to the end of its words. */
function commandLines(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w/@.-])connectorctl ([^`|;)#\n]*)/g)]
    .map(([, words = '']) => words.trim())
    .filter((words) => firstWords.has(words.split(/[\s.,:]/)[0]));
}

/** What is wrong with a command line; undefined when its command has all of its flags. */
function fault(line: string): string | undefined {
  const words = line.split(/\s+/);
  const [topic = '', verb = ''] = words.map((word) => word.replace(/[.,:'…]+$/, ''));
  const command = commands[`${topic}:${verb}`] ?? commands[topic];
  if (command === undefined) return /^[a-z]+$/.test(verb) ? `no such command: ${line}` : undefined;
  const known = Object.entries(command.flags).flatMap(([name, {char, aliases = []}]) => [
    ...[name, ...aliases].map((flag) => `--${flag}`),
    ...(char === undefined ? [] : [`-${char}`]),
  ]);
  const flags = words.flatMap((word) => /^--?[a-z][\w-]*/.exec(word)?.[0] ?? []);
  // The value of --sort may begin with a dash.
  const unknown = flags.find(
    (flag, at) => ![...known, '--help'].includes(flag) && flags[at - 1] !== '--sort',
  );
  return unknown === undefined ? undefined : `no ${unknown}: ${line}`;
}

describe('command lines that people are told to type', () => {
  const documents = [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
    'contrib/README.md',
  ].filter((path) => path.endsWith('.md'));
  const texts = [
    ...documents.map((path) => ({path, text: read(path)})),
    ...sourceFiles().map(({path, text}) => ({path, text})),
    ...examples.map(({id, lines}) => ({path: `examples of ${id}`, text: lines.join('\n')})),
  ];

  it('are commands and flags that there are', () => {
    const lines = texts.flatMap(({path, text}) => commandLines(text).map((line) => ({path, line})));
    expect(lines.length).to.be.greaterThan(60);
    const faults = lines.flatMap(({path, line}) => {
      const wrong = fault(line);
      return wrong === undefined ? [] : [`${path}: ${wrong}`];
    });
    expect(faults).to.deep.equal([]);
  });

  for (const {id, lines} of examples) {
    it(`are in the help of ${id}, of that command`, () => {
      expect(lines.length).to.be.greaterThan(0);
      for (const line of lines) expect(line).to.include(`connectorctl ${id.replace(':', ' ')}`);
    });
  }
});

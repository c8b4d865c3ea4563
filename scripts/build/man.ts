import {writeFileSync} from 'node:fs';
import {exitCodes} from '../../src/errors.js';
import {variablesWithoutFlag} from '../../src/flags.js';
import {
  argumentWords,
  describeCommands,
  flagWords,
  type ManifestCommand,
  type ManifestFlag,
  readCommands,
} from './manifest.js';
import {readJson} from './root.js';

interface Program {
  readonly version: string;
  readonly description: string;
}

/** A text for roff: nothing of it is a request, an escape, or a dash that becomes a hyphen. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/[^\0-\x7f]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    })
    .replace(/^([.'])/gm, '\\&$1');
}

/** An argument of a macro. */
const quoted = (plain: string) => `"${text(plain).replaceAll('"', '\\(dq')}"`;

const item = (name: string, meaning: string) => `.TP\n.B ${quoted(name)}\n${text(meaning)}`;

function flagItem(flag: ManifestFlag): string {
  const {description = '', env} = flag;
  const notes = [flag.default !== undefined && `default ${flag.default}`, env].filter(Boolean);
  const meaning = notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
  return item(flagWords(flag), meaning);
}

function section(command: ManifestCommand, flags: readonly ManifestFlag[]): string {
  const {id, summary = '', description, examples = []} = command;
  const name = id.replaceAll(':', ' ');
  const shown = examples.map((example) =>
    example.replaceAll('<%= config.bin %>', 'connectorctl').replaceAll('<%= command.id %>', name),
  );
  return [
    `.SS ${quoted(['connectorctl', name, ...argumentWords(command)].join(' '))}`,
    text(`${summary}.`),
    ...(description === undefined ? [] : ['.PP', text(description)]),
    ...flags.map(flagItem),
    ...(shown.length === 0 ? [] : ['.PP', 'Examples:', '.PP', '.nf', ...shown.map(text), '.fi']),
  ].join('\n');
}

/** The manual page of the program and all its commands, in the macros of man(7). */
export function manual(all: readonly ManifestCommand[], {version, description}: Program): string {
  const {commands, globalFlags, serviceFlags, ownFlags} = describeCommands(all);
  return `${[
    `.TH CONNECTORCTL 1 "" ${quoted(`connectorctl ${version}`)} "User Commands"`,
    // Neither hyphens nor spaces inside the names of variables and flags.
    '.nh',
    '.ad l',
    '.SH NAME',
    text(`connectorctl - ${description}`),
    '.SH SYNOPSIS',
    text('connectorctl COMMAND [ARGUMENT]... [FLAG]...'),
    '.SH "OPTIONS OF ALL COMMANDS"',
    item('-h, --help', 'show the help of the program or of a command'),
    ...globalFlags.map(flagItem),
    '.SH "OPTIONS OF COMMANDS THAT CALL A SERVICE"',
    ...serviceFlags.map(flagItem),
    '.SH COMMANDS',
    ...commands.map((command) => section(command, ownFlags(command))),
    '.SH ENVIRONMENT',
    'A flag names its variable in parentheses, and overrides it. Without a flag are:',
    ...Object.entries(variablesWithoutFlag).map(([name, meaning]) => item(name, meaning)),
    '.SH "EXIT STATUS"',
    ...Object.entries(exitCodes).map(([kind, {code, when}]) => item(`${code}`, `${kind}: ${when}`)),
  ].join('\n')}\n`;
}

/** Writes the manual page of what is in the manifest. */
export function writeManual(path: string): void {
  writeFileSync(path, manual(readCommands(), readJson<Program>('package.json')));
}

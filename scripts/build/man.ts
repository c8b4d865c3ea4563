import {writeFileSync} from 'node:fs';
import {variablesWithoutFlag} from '../../src/commands/commands.js';
import {exitCodes} from '../../src/errors.js';
import {argumentWords, type ManifestCommand, type ManifestFlag} from './manifest.js';
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

function flagItem({char, name, type, description = '', env, ...flag}: ManifestFlag): string {
  const value = flag.options?.join('|') ?? flag.helpValue ?? 'VALUE';
  const names = `${char === undefined ? '' : `-${char}, `}--${name}`;
  const notes = [
    ...(flag.default === undefined ? [] : [`default ${flag.default}`]),
    ...(env === undefined ? [] : [env]),
  ];
  const meaning = notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
  return item(type === 'boolean' ? names : `${names} ${value}`, meaning);
}

function section(command: ManifestCommand, isShared: (flag: ManifestFlag) => boolean): string {
  const {id, flags, summary = '', description, examples = []} = command;
  const name = id.replaceAll(':', ' ');
  const shown = examples.map((example) =>
    example.replaceAll('<%= config.bin %>', 'connectorctl').replaceAll('<%= command.id %>', name),
  );
  return [
    `.SS ${quoted(['connectorctl', name, ...argumentWords(command)].join(' '))}`,
    text(`${summary}.`),
    ...(description === undefined ? [] : ['.PP', text(description)]),
    ...Object.values(flags)
      .filter((flag) => !isShared(flag))
      .map(flagItem),
    ...(shown.length === 0 ? [] : ['.PP', 'Examples:', '.PP', '.nf', ...shown.map(text), '.fi']),
  ].join('\n');
}

/** The manual page of the program and all its commands, in the macros of man(7). */
export function manual(
  commands: readonly ManifestCommand[],
  {version, description}: Program,
): string {
  const shown = commands.filter(({hidden}) => !hidden);
  const isGlobal = ({name}: ManifestFlag) => shown.every(({flags}) => flags[name] !== undefined);
  const isService = ({helpGroup}: ManifestFlag) => helpGroup === 'SERVICE';
  const shared = (isShared: (flag: ManifestFlag) => boolean) => {
    const flags = shown.flatMap((command) => Object.values(command.flags)).filter(isShared);
    return [...new Map(flags.map((flag) => [flag.name, flag])).values()].map(flagItem);
  };
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
    ...shared(isGlobal),
    '.SH "OPTIONS OF COMMANDS THAT CALL A SERVICE"',
    ...shared(isService),
    '.SH COMMANDS',
    ...shown.map((command) => section(command, (flag) => isGlobal(flag) || isService(flag))),
    '.SH ENVIRONMENT',
    'A flag names its variable in parentheses, and overrides it. Without a flag are:',
    ...Object.entries(variablesWithoutFlag).map(([name, meaning]) => item(name, meaning)),
    '.SH "EXIT STATUS"',
    ...Object.entries(exitCodes).map(([kind, {code, when}]) => item(`${code}`, `${kind}: ${when}`)),
  ].join('\n')}\n`;
}

/** Writes the manual page of what is in the manifest. */
export function writeManual(path: string): void {
  const {commands} = readJson<{commands: Record<string, ManifestCommand>}>('oclif.manifest.json');
  writeFileSync(path, manual(Object.values(commands), readJson<Program>('package.json')));
}

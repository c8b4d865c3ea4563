import {redactSecrets} from '../../domain/secret.js';
import {commandForVerb, type Suggested} from './verbs.js';

// What users of gh, kubectl and docker type, and what to use here instead. The tables are in the functions:
// only an error reads them.

/** The command here for a line of another tool, and why it differs; undefined for any other words. */
export function habitualCommand(
  words: readonly string[],
  names: readonly string[],
): Suggested | undefined {
  const line = words.join(' ');
  const lines: readonly (readonly [RegExp, ...Suggested])[] = [
    [/^(auth (login|add)|init|install|setup|configure|sign-?in)\b/, 'login'],
    [/^(auth logout|sign-?out)\b/, 'logout'],
    [/^(auth( status)?|me|profile current|config current-context)$/, 'whoami'],
    [/^(server|daemon)$/, 'serve'],
    [/^health$/, 'doctor'],
    [/^(config|context) use\b|^(switch|use-context|config use-context)\b/, 'profile use'],
    [/^(contexts?|config get-contexts)\b/, 'profile list'],
    [/^(environment|env|env(ironment)?-?vars|variables)$/, 'help environment'],
    [/^exit-?(codes?|status)$/, 'help exit-codes'],
    [/^(statuses|states)$/, 'help statuses'],
    [/^reference$/, 'commands'],
    [/^(formats?|formatting|output)$/, 'connector list --help'],
  ];
  const habit = lines.find(([pattern]) => pattern.test(line));
  if (habit === undefined) return commandForVerb(words, names);
  const [, ...suggested] = habit;
  return suggested;
}

/** What to write instead of an argument that belongs to another command, or after `--`; undefined for any other. */
export function habitualForm(command: string, argument = ''): string | undefined {
  // A longer word may be a secret of another service, and other characters need quotes in a shell.
  const isShown = redactSecrets(argument) === argument && /^[\w.@/-]{1,24}$/.test(argument);
  if (/ connector (activate|enroll)$/.test(command)) {
    return argument === '-' || /[./]/.test(argument)
      ? `For a list of machines, write: connectorctl connector enroll ${isShown ? argument : 'LIST'} --credentials-dir DIR.`
      : `For one machine, write: connectorctl connector activate --name ${isShown ? argument : 'NAME'}.`;
  }
  return command.endsWith(' connector run')
    ? 'Write a command after --: connectorctl connector run ID -- COMMAND.'
    : undefined;
}

/** What to use instead of a flag of another tool or command; undefined without one. @param has whether the command has a flag */
export function habitualFlag(typed: string, has: (name: string) => boolean): string | undefined {
  const oneMachine = 'For one machine, use: connectorctl connector activate --name NAME.';
  const jq = 'To filter, use --status, --name, or --json with jq.';
  const others: Readonly<Record<string, readonly [needs: string, hint?: string]>> = {
    '-A': ['status', 'The list has all connectors of the organization without it.'],
    '--all': ['status', 'The list has all connectors of the organization without it.'],
    '-l': ['status', jq],
    '--selector': ['status', jq],
    '--field-selector': ['status', jq],
    '--filter': ['status', jq],
    '--query': ['status', jq],
    '--jq': ['output', 'Use --json, and jq after a pipe.'],
    '--template': ['output', 'Use --json, and jq after a pipe.'],
    '--format': ['output'],
    '--fields': ['columns'],
    '--follow': ['watch'],
    '--since': ['newer-than'],
    '--until': ['older-than'],
    '--context': ['profile'],
    '--server': ['base-url'],
    '--url': ['base-url'],
    '--host': ['base-url'],
    '--api-key': ['api-key-file'],
    '--token': ['credentials-dir', oneMachine],
    '--token-file': ['credentials-dir', oneMachine],
    '--name': ['credentials-dir', oneMachine],
    '--credentials-file': ['credentials-dir', oneMachine],
  };
  const [needs, hint] = others[typed] ?? [];
  if (needs === undefined || !has(needs)) return undefined;
  return hint ?? `Did you mean --${needs}?`;
}

/** What to use instead of a value of another tool for --output; undefined without one. */
export function habitualFormat(message: string): string | undefined {
  const [, format = ''] = /^Expected --output=([\w-]+)/.exec(message) ?? [];
  const hints: Readonly<Record<string, string>> = {
    name: 'For ids alone use -o id.',
    'custom-columns': 'Use --columns FIELD,FIELD.',
    'go-template': 'Use --json, and jq after a pipe.',
    jsonpath: 'Use --json, and jq after a pipe.',
    text: 'Omit it for a table; for ids alone use -o id.',
    tsv: 'Use -o csv.',
  };
  return hints[format];
}

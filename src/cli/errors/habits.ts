import {redactSecrets} from '../../domain/secret.js';

// What users of gh, kubectl and docker type, and what to use here instead. The tables are in the functions:
// only an error reads them.

/** The command here for a command of another tool, and why it differs; undefined for any other words. */
export function habitualCommand(
  words: readonly string[],
  names: readonly string[],
): {readonly command: string; readonly reason?: string} | undefined {
  const line = words.join(' ');
  const habits: readonly (readonly [RegExp, string, string?])[] = [
    [/^auth login\b/, 'login'],
    [/^auth logout\b/, 'logout'],
    [/^(auth( status)?|me|profile current|config current-context)$/, 'whoami'],
    [/^(status|ping|health)$/, 'doctor'],
    [/^(server|start|up)$/, 'serve'],
    [/^(config|context) use\b|^(switch|use-context)\b/, 'profile use'],
    [/^(context|config (view|list|get-contexts))\b/, 'profile list'],
    [/^((get|list|ls) connectors|connectors|ls|ps|connectors ls)$/, 'connector list'],
    [/^(connectors? )?(describe|show|view|inspect|info)\b/, 'connector get'],
    [
      /^(connectors? )?(delete|destroy|remove|rm|unregister)\b/,
      'key revoke ID',
      'The interface has no operation that removes a connector. The reference service can revoke its key',
    ],
    [
      /^(tokens? (list|ls)|(get|list|ls) tokens?)$/,
      'token create',
      'Activation tokens cannot be listed. Create one with',
    ],
  ];
  const habit = habits.find(([pattern]) => pattern.test(line));
  if (habit !== undefined) {
    const [, command, reason] = habit;
    return reason === undefined ? {command} : {command, reason};
  }
  // The verb first, as in kubectl: `create token`, `get connector con_1`.
  const [verb = '', noun = ''] = words;
  const swapped = `${noun.replace(/s$/, '')} ${verb}`;
  return names.includes(swapped) ? {command: swapped} : undefined;
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

/** A row: words from other tools, separated by commas, and the command or flag that does the same here. */
type Row = readonly [typed: string, answer: string];

/** Command lines, and flags. A command of the topic `connector` may stand without it; `ARG` is a surplus argument. */
export const commandRows: readonly Row[] = [
  ['list, ls, ps, status', 'connector list'],
  ['connector status, describe, info, inspect, show, view', 'connector get ID'],
  ['add, create, join, new, register', 'connector activate'],
  ['connect, start, up', 'connector run'],
  ['wait', 'connector get ID --wait online'],
  ['top, watch', 'connector list --watch'],
  ['check, health, verify', 'connector check'],
  ['diagnose, env, ping', 'doctor'],
  ['reissue, renew, rotate', 'store reissue ID'],
  ['disable, expire, revoke', 'key revoke ID'],
  ['auth login, configure, init', 'login'],
  ['auth logout', 'logout'],
  ['auth status, config current-context, config view, profile show', 'whoami'],
  ['config get-contexts, profile ls', 'profile list'],
  ['auth switch, config use-context, profile switch, switch, use', 'profile use NAME'],
  ['config delete-context, profile delete, profile rm', 'profile remove NAME'],
  ['config set, config set-context, profile add, profile create', 'profile set NAME'],
  ['token add, token generate, token new', 'token create'],
  ['key ls', 'key list'],
  ['key delete, key remove, key rm', 'key revoke ID'],
  ['key add, key generate, key new, key rotate', 'key create'],
  ['backup, dump, restore, store backup', 'store copy FROM TO'],
  ['store delete, store rm', 'store remove ID'],
  ['daemon', 'serve'],
  ['autocomplete', 'completion SHELL'],
  ['version', '--version'],
  ['connector list ARG', '--name GLOB'],
  ['connector activate --token, connector activate ARG', '--token-file PATH'],
  ['--api-key, --key', '--api-key-file PATH'],
  ['--endpoint, --server, --url', '--base-url URL'],
  ['--format', '--output FORMAT'],
  ['--verbose', '--debug'],
];

/** Features that this program lacks: the typed words, the name in `docs/limits.md`, and what to do instead. */
export const limitRows: readonly (readonly [typed: string, want: string, instead: string])[] = [
  [
    'del, delete, destroy, remove, rm, unregister',
    'remove a connector through the service',
    "On the service's machine: connectorctl store remove ID",
  ],
  [
    'connector update, edit, mv, rename',
    'rename a connector',
    'Activate it under its new name, with a token of: connectorctl store reissue ID',
  ],
  [
    'token delete, token list, token ls, token revoke, token rm',
    'list or withdraw unused tokens',
    'They expire after 15 minutes, or --ttl.',
  ],
  [
    'events, history, logs',
    'see when a connector was offline last week',
    'From now on: connectorctl connector monitor',
  ],
  ['self-update, update, upgrade', 'update it with a command', 'Install the new version.'],
];

const noWay = 'There is no way to';

const answers = new Map<string, string>([
  ...limitRows.flatMap(([typed, want, instead]) =>
    typed.split(', ').map((words) => [words, `${noWay} ${want}. ${instead}`] as const),
  ),
  ...commandRows.flatMap(([typed, answer]) =>
    typed.split(', ').map((words) => [words, answer] as const),
  ),
]);

/** The hint for the name of a command that another tool has. @param words as typed, perhaps with arguments */
export function otherCommand(words: readonly string[], bin: string): string | undefined {
  const inTopic = /^connectors?$/.test(words[0] ?? '') ? words.slice(1) : words;
  const answer = [words, inTopic]
    .flatMap((line) => [2, 1].map((length) => answers.get(line.slice(0, length).join(' '))))
    .find((one) => one !== undefined);
  return answer?.startsWith(noWay) ? answer : answer && `Did you mean: ${bin} ${answer}`;
}

/** The hint for a flag of another tool, or for a surplus argument (`ARG`). @param command with the program's name */
export function otherFlag(
  word: string,
  command: string,
  flags: Readonly<Record<string, unknown>>,
): string | undefined {
  const line = `${command.slice(command.indexOf(' ') + 1)} ${word}`;
  const answer = answers.get(line) ?? answers.get(word) ?? '';
  const [, name = ''] = /^--([\w-]+)/.exec(answer) ?? [];
  return name in flags ? `Did you mean: ${command} ${answer}` : undefined;
}

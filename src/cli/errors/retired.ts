import {AppError} from '../../errors.js';

/** What to do instead of each word or variable that a command took before the first release. */
export type Retired = Readonly<Record<string, Readonly<Record<string, string>>>>;

const enroll =
  'For a list of machines, write: connectorctl connector enroll LIST --credentials-dir DIR';

/**
 * By command, as oclif writes its id: what it took before, a flag, `-- COMMAND` or a variable, and the hint.
 * Only users of builds from before the first release need these rows, so this file is removed after it.
 */
export const retired: Retired = {
  'connector:activate': {
    '--from': enroll,
    '--credentials-dir': enroll,
    '--dry-run': enroll,
    '--max-failures': enroll,
    '--parallel': enroll,
    '--report': enroll,
    '--output': enroll,
    '-o': enroll,
  },
  'connector:heartbeat': {
    '--every': 'Write: connectorctl connector run ID --every DURATION',
    '--count': 'To keep sending, write: connectorctl connector run ID',
    CONNECTORCTL_COUNT: 'Unset it. To keep sending, write: connectorctl connector run ID',
    '--check': 'Write: connectorctl connector run ID --check CMD -- COMMAND',
    '--check-timeout':
      'Write: connectorctl connector run ID --check CMD --check-timeout DURATION -- COMMAND',
    '--on-refused': 'Write: connectorctl connector run ID --on-refused stop -- COMMAND',
    '--kill-after':
      'Write: connectorctl connector run ID --on-refused stop --kill-after DURATION -- COMMAND',
    '-- COMMAND': 'Write: connectorctl connector run ID -- COMMAND',
  },
  'connector:run': {
    '--count':
      'It runs until it is stopped. For one heartbeat, write: connectorctl connector heartbeat ID',
    CONNECTORCTL_COUNT: 'Unset it: connectorctl connector run ID runs until it is stopped.',
  },
};

/**
 * Refuses a command line or an environment of before the first release, by name.
 *
 * @param id of the command, as oclif writes it
 * @throws AppError `usage` with the line to type instead
 */
export function refuseRetired(
  id: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  table = retired,
): void {
  const command = id.replaceAll(':', ' ');
  const end = argv.indexOf('--');
  const given = (end === -1 ? argv : argv.slice(0, end + 1)).map((word) =>
    word.replace(/=.*/s, ''),
  );
  for (const [name, hint] of Object.entries(table[id] ?? {})) {
    const isVariable = !name.startsWith('-');
    const [word = ''] = name.split(' ');
    // The value of a short flag may follow without a space: -ocsv.
    const isShort = /^-\w$/.test(word);
    const isGiven = given.some((one) => one === word || (isShort && one.startsWith(word)));
    if (isVariable ? !env[name] : !isGiven) continue;
    const verb = isVariable ? 'reads' : 'takes';
    throw new AppError('usage', `connectorctl ${command} no longer ${verb} ${name}.`, {hint});
  }
}

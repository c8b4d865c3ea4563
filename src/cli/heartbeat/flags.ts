import {Flags, type Interfaces} from '@oclif/core';
import {limits} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import {durationFlag, textFlag} from '../flags.js';

/** Milliseconds: a timer of Node.js with a delay of 25 days or more ends at once. */
const longestTimer = 24 * 24 * 60 * 60 * 1000;

/** The flag of commands that send heartbeats for the connector of a credentials file. */
export const credentialsFileFlag = textFlag({
  description: 'credentials file of activate or enroll; names the connector, service and key',
  env: 'CONNECTORCTL_CREDENTIALS_FILE',
  helpValue: 'PATH',
});

/** The flags of `connector run`. */
export const runFlags = {
  check: textFlag({
    description: 'send a heartbeat only while this command, run by sh -c, succeeds',
    helpGroup: 'COMMAND',
    helpValue: 'CMD',
  }),
  'check-timeout': durationFlag({
    dependsOn: ['check'],
    description: 'time limit of one check (default 5s)',
    helpGroup: 'COMMAND',
    max: longestTimer,
  }),
  'credentials-file': credentialsFileFlag,
  every: durationFlag({
    description: 'interval between heartbeats; overrides the interval the service asks for',
    env: 'CONNECTORCTL_EVERY',
    min: limits.heartbeatInterval.min * 1000,
  }),
  'kill-after': durationFlag({
    description: 'with --on-refused stop: pause between SIGTERM and SIGKILL (default 10s)',
    helpGroup: 'COMMAND',
    max: longestTimer,
  }),
  'on-refused': Flags.option({
    description:
      'when the service refuses the heartbeats for good: keep the command running (default), or stop it',
    helpGroup: 'COMMAND',
    helpValue: 'keep|stop',
    options: ['keep', 'stop'] as const,
  })(),
};

export type RunFlags = Interfaces.InferredFlags<typeof runFlags>;

/** Splits the words of a command line at `--`; the command is undefined without one. */
export function splitAtCommand(argv: readonly string[]): {
  readonly own: string[];
  readonly command: readonly string[] | undefined;
} {
  const end = argv.indexOf('--');
  return end === -1
    ? {own: [...argv], command: undefined}
    : {own: argv.slice(0, end), command: argv.slice(end + 1)};
}

const writeCommand = 'Write the command after the flags: -- COMMAND [ARG]...';

/** @throws AppError `usage` for parts of a command line that do not fit together */
export function checkForm(
  flags: Partial<RunFlags>,
  command: readonly string[] | undefined,
  isJson: boolean,
): void {
  const isAlone = command === undefined;
  const conflicts: readonly (readonly [found: boolean, message: string, hint: string])[] = [
    [isAlone && flags.check !== undefined, '--check needs a command.', writeCommand],
    [isAlone && flags['on-refused'] !== undefined, '--on-refused needs a command.', writeCommand],
    [isAlone && flags['kill-after'] !== undefined, '--kill-after needs a command.', writeCommand],
    [command?.length === 0, 'There is no command after --.', writeCommand],
    [
      !isAlone && isJson,
      '--json cannot be used with a command.',
      'stdout belongs to the command: leave out --json.',
    ],
    [
      flags['kill-after'] !== undefined && flags['on-refused'] !== 'stop',
      '--kill-after has no effect without --on-refused stop.',
      'Add --on-refused stop, or leave out --kill-after.',
    ],
  ];
  const conflict = conflicts.find(([found]) => found);
  if (conflict === undefined) return;
  const [, message, hint] = conflict;
  throw new AppError('usage', message, {hint});
}

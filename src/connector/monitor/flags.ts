import {Flags, type Interfaces} from '@oclif/core';
import {AppError} from '../../errors.js';
import {durationFlag, textFlag} from '../../flags.js';
import {checkFlags, readCheck} from '../check/run.js';

const {'wait-timeout': _, ...judging} = checkFlags;

/** The flags of `connector monitor`: what to check, how often, and whom to tell. */
export const monitorFlags = {
  ...judging,
  every: durationFlag({description: 'time from one look to the next (default 30s)', min: 1000}),
  exec: textFlag({
    description:
      'command for sh -c, run once per look with changes; gets the events as JSON on stdin',
    helpValue: 'COMMAND',
  }),
  for: durationFlag({
    allowsZero: true,
    description: 'tell of a problem once it has lasted this long (default 2m, with --once 0s)',
  }),
  initial: Flags.boolean({description: 'tell of what the first look finds, too'}),
  once: Flags.boolean({
    dependsOn: ['state'],
    description:
      'look once, tell what changed since the last run, and exit as connector check does',
  }),
  state: textFlag({
    description: 'file for what was found and told, so that a restart repeats and loses nothing',
    helpValue: 'PATH',
  }),
};

/** Reads what to check. @throws AppError `usage`, also for an empty inventory: every problem would seem to be over */
export async function readMonitorCheck(
  flags: Interfaces.InferredFlags<typeof monitorFlags>,
): ReturnType<typeof readCheck> {
  const check = await readCheck({...flags, 'wait-timeout': undefined});
  if (check.expected?.length !== 0) return check;
  throw new AppError('usage', 'The inventory is empty.', {
    hint: 'Nothing was looked at. List the connectors that should exist, or omit --expect.',
  });
}

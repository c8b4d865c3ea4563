import type {Hook} from '@oclif/core';
import {closest, distance} from 'fastest-levenshtein';
import {redactSecrets} from '../domain/redaction.js';
import {AppError} from '../errors.js';

/** A suggestion further away than this many edits would be a guess. */
const maximumDistance = 4;

/**
 * Runs when no command has the name that was typed. A known command with words behind it got
 * arguments that it does not take (the framework reads them as part of the name); anything else is
 * answered with the nearest name.
 *
 * @throws AppError `usage`, always
 */
const hook: Hook.CommandNotFound = async ({config, id}) => {
  const words = id.split(':');
  const names = config.commandIDs.map((name) => name.replaceAll(':', ' '));
  const known = names.find((name) => `${words.join(' ')} `.startsWith(`${name} `));
  if (known !== undefined) {
    const extra = words.slice(known.split(' ').length);
    throw new AppError('usage', `Unexpected argument: ${redactSecrets(extra.join(' '))}`, {
      hint: `See: ${config.bin} ${known} --help`,
    });
  }
  const typed = words.join(' ');
  const nearest = closest(typed, names);
  const near = nearest !== '' && distance(typed, nearest) <= maximumDistance;
  throw new AppError('usage', `No such command: ${redactSecrets(typed)}`, {
    hint: near ? `Did you mean: ${config.bin} ${nearest}` : `See: ${config.bin} --help`,
  });
};

export default hook;

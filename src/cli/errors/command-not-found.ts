import type {Hook, Interfaces} from '@oclif/core';
import {suggestion} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import {shownWord} from '../../terminal/notices.js';
import {abbreviated} from './command-line.js';

/**
 * Runs when no command has the typed name. Either a known command has too many arguments (the framework reads them as
 * part of the name), or a flag precedes the command, or the name is mistyped, which gets a suggestion.
 *
 * @throws AppError `usage`
 */
const hook: Hook.CommandNotFound = async ({config, id, argv = []}) => {
  const words = id.split(':');
  const commands = config.commands.filter(({hidden}) => !hidden);
  if (id.startsWith('-')) {
    throw new AppError('usage', 'Flags must follow the command.', {
      hint: `Write: ${config.bin} COMMAND [FLAGS]`,
    });
  }
  const known = commands.find((command) => `${id}:`.startsWith(`${command.id}:`))?.id;
  if (known !== undefined) {
    // The command itself refuses the surplus words.
    return config.runCommand(known, [...words.slice(known.split(':').length), ...argv]);
  }
  const names = commands.map((command) => command.id.replaceAll(':', ' '));
  throw await unknownCommand(config, words, names);
};

/** The error for an unknown command, with what does the same as in other tools, or the nearest command or topic. */
export async function unknownCommand(
  {bin, topics}: Pick<Interfaces.Config, 'bin' | 'topics'>,
  words: readonly string[],
  names: readonly string[],
): Promise<AppError> {
  const {otherCommand} = await import('./other-words.js');
  const typed = words.join(' ');
  const topic = topics.find(({name}) => name === words[0])?.name;
  // A correctly typed topic must not make all its commands seem near.
  const known = topic === undefined ? [...names, ...topics.map(({name}) => name)] : names;
  const candidates = known.filter((name) => topic === undefined || name.startsWith(`${topic} `));
  const start = topic === undefined ? '' : `${topic} `;
  const near =
    suggestion(
      typed.slice(start.length),
      candidates.map((name) => name.slice(start.length)),
    ) ?? candidates.find((name) => name.endsWith(` ${typed}`))?.slice(start.length);
  return new AppError(
    'usage',
    `No such command: ${words.map(abbreviated).map(shownWord).join(' ')}`,
    {
      hint:
        otherCommand(words, bin) ??
        (near === undefined
          ? `See: ${bin} ${start}--help`
          : `Did you mean: ${bin} ${start}${near.replaceAll(':', ' ')}`),
    },
  );
}

export default hook;

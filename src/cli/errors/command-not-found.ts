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
  if (id.startsWith('-')) {
    throw new AppError('usage', 'Flags must follow the command.', {
      hint: `Write: ${config.bin} COMMAND [FLAGS]`,
    });
  }
  const words = id.split(':');
  const ids = config.commands.filter(({hidden}) => !hidden).map((command) => command.id);
  const known = ids.find((one) => `${id}:`.startsWith(`${one}:`));
  if (known !== undefined) {
    // The command itself refuses the surplus words.
    return config.runCommand(known, [...words.slice(known.split(':').length), ...argv]);
  }
  const {otherCommand} = await import('./other-words.js');
  throw new AppError(
    'usage',
    `No such command: ${words.map(abbreviated).map(shownWord).join(' ')}`,
    {hint: otherCommand(words, config.bin) ?? nearest(words, ids, config)},
  );
};

/** Suggests the nearest command or topic, else the help. */
function nearest(
  words: readonly string[],
  ids: readonly string[],
  {bin, topics}: Interfaces.Config,
): string {
  const topic = topics.find(({name}) => name === words[0])?.name;
  // A correctly typed topic must not make all its commands seem near.
  const start = topic === undefined ? '' : `${topic} `;
  const names = [...ids, ...topics.map(({name}) => name)]
    .map((name) => name.replaceAll(':', ' '))
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length));
  const typed = words.join(' ').slice(start.length);
  const near = suggestion(typed, names) ?? names.find((name) => name.endsWith(` ${typed}`));
  return near === undefined ? `See: ${bin} ${start}--help` : `Did you mean: ${bin} ${start}${near}`;
}

export default hook;

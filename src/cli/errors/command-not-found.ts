import type {Hook, Interfaces} from '@oclif/core';
import {claimedKind} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {habitualCommand} from './habits.js';
import {suggestion} from './suggestion.js';
import {abbreviated} from './usage-error.js';

/**
 * Runs when no command has the typed name. Either an alias has arguments, or a known command got too many (the
 * framework reads both as part of the name), or a flag precedes the command, or the name is mistyped, which gets a
 * suggestion.
 *
 * @returns the result of the command that an alias stands for
 * @throws what that command throws; AppError `usage` otherwise
 */
const hook: Hook.CommandNotFound = async ({config, id, argv = []}) => {
  const words = id.split(':');
  const commands = config.commands.filter(({hidden}) => !hidden);
  const names = commands.map((command) => command.id.replaceAll(':', ' '));
  const alias = commands.find(({hiddenAliases}) =>
    hiddenAliases.some((each) => id.startsWith(`${each}:`)),
  );
  if (alias !== undefined) {
    const depth = alias.id.split(':').length;
    return config.runCommand(alias.id, [...words.slice(depth), ...argv]);
  }
  if (id.startsWith('-')) throw flagBeforeCommand(config.bin, argv, names);
  const known = commandAtStart(words.join(' '), names);
  if (known !== undefined) {
    const depth = known.split(' ').length;
    const extra = words.slice(depth);
    if (known === 'connector activate' && isToken(extra)) throw unexpectedToken(config.bin, extra);
    // It refuses them, in its own way.
    return config.runCommand(words.slice(0, depth).join(':'), [...extra, ...argv]);
  }
  throw unknownCommand(config, words, names);
};

/** The command that a line begins with. */
function commandAtStart(line: string, names: readonly string[]): string | undefined {
  return names.find((name) => `${line} `.startsWith(`${name} `));
}

function flagBeforeCommand(
  bin: string,
  argv: readonly string[],
  names: readonly string[],
): AppError {
  const later = argv
    .map((_, index) => commandAtStart(argv.slice(index).join(' '), names))
    .find(Boolean);
  return new AppError('usage', 'Flags must follow the command.', {
    hint: later === undefined ? help(bin) : `Write: ${bin} ${later} [FLAGS]`,
  });
}

function isToken([word = '']: readonly string[]): boolean {
  return claimedKind(word) !== undefined;
}

function unexpectedToken(bin: string, extra: readonly string[]): AppError {
  return new AppError('usage', `Unexpected argument: ${extra.map(abbreviated).join(' ')}`, {
    hint: `The command asks for the token: ${bin} connector activate. Without a terminal, use --token-file PATH.`,
  });
}

function unknownCommand(
  {bin, topics: known}: Pick<Interfaces.Config, 'bin' | 'topics'>,
  words: readonly string[],
  names: readonly string[],
): AppError {
  const message = `No such command: ${words.map(abbreviated).join(' ')}`;
  const habit = habitualCommand(words, names);
  if (habit !== undefined) {
    const [command, reason = 'Did you mean'] = habit;
    return new AppError('usage', message, {hint: `${reason}: ${bin} ${command}`});
  }
  const topics = known.map(({name}) => name.replaceAll(':', ' '));
  const topic = topics.find((name) => name === words[0]);
  const near =
    (topic === undefined
      ? suggestion(words.join(' '), [...names, ...topics])
      : suggestionIn(topic, words, names)) ?? names.find((name) => lastWord(name) === words[0]);
  const all = topic === undefined ? bin : `${bin} ${topic}`;
  return new AppError('usage', message, {
    hint: near === undefined ? help(all) : `Did you mean: ${bin} ${near}`,
  });
}

/** The most similar command of the topic. The topic itself is typed correctly, so it is not compared. */
function suggestionIn(
  topic: string,
  [, ...words]: readonly string[],
  names: readonly string[],
): string | undefined {
  const start = `${topic} `;
  const own = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length));
  const near = suggestion(words.join(' '), own);
  return near && start + near;
}

function help(command: string): string {
  return `See: ${command} --help`;
}

function lastWord(name: string): string | undefined {
  return name.split(' ').at(-1);
}

export default hook;

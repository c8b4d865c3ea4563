import type {Hook} from '@oclif/core';
import {claimedKind} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {habitualCommand} from './habits.js';
import {suggestion} from './suggestion.js';
import {abbreviated} from './usage-error.js';

/**
 * Runs when no command has the typed name. Either a known command got too many arguments (the framework
 * reads them as part of the name), or a flag precedes the command, or the name is mistyped, which gets a
 * suggestion.
 *
 * @throws AppError `usage`, always
 */
const hook: Hook.CommandNotFound = async ({config, id, argv = []}) => {
  const words = id.split(':');
  const commands = config.commands.filter(({hidden}) => !hidden);
  const names = commands.map((command) => command.id.replaceAll(':', ' '));
  const startsWith = (line: string) => names.find((name) => `${line} `.startsWith(`${name} `));
  if (id.startsWith('-')) {
    const later = argv.map((_, index) => startsWith(argv.slice(index).join(' '))).find(Boolean);
    throw new AppError('usage', 'Flags must follow the command.', {
      hint: later === undefined ? help(config.bin) : `Write: ${config.bin} ${later} [FLAGS]`,
    });
  }
  const known = startsWith(words.join(' '));
  if (known !== undefined) {
    const extra = words.slice(known.split(' ').length);
    const isToken = known === 'connector activate' && claimedKind(extra[0] ?? '') !== undefined;
    throw new AppError('usage', `Unexpected argument: ${extra.map(abbreviated).join(' ')}`, {
      hint: isToken
        ? `The command asks for the token: ${config.bin} ${known}. Without a terminal, use --token-file PATH.`
        : help(`${config.bin} ${known}`),
    });
  }
  const message = `No such command: ${words.map(abbreviated).join(' ')}`;
  const habit = habitualCommand(words, names);
  if (habit !== undefined) {
    const {command, reason = 'Did you mean'} = habit;
    throw new AppError('usage', message, {hint: `${reason}: ${config.bin} ${command}`});
  }
  const topics = config.topics.map(({name}) => name.replaceAll(':', ' '));
  const topic = topics.find((name) => name === words[0]);
  const near =
    (topic === undefined
      ? suggestion(words.join(' '), [...names, ...topics])
      : suggestionIn(topic, words, names)) ?? names.find((name) => lastWord(name) === words[0]);
  const all = topic === undefined ? config.bin : `${config.bin} ${topic}`;
  throw new AppError('usage', message, {
    hint: near === undefined ? help(all) : `Did you mean: ${config.bin} ${near}`,
  });
};

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

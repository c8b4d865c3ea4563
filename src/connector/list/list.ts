import {Flags, type Interfaces} from '@oclif/core';
import {
  durationFlag,
  integerFlag,
  letters,
  listFlag,
  namesFlag,
  outputFlags,
  textFlag,
} from '../../flags.js';

export const connectorListFlags = {
  interval: durationFlag({
    dependsOn: ['watch'],
    description: 'interval between two polls of --watch (default 2s)',
    min: 500,
  }),
  limit: integerFlag({
    char: letters.limit,
    description: 'maximum number of connectors to list',
    min: 1,
  }),
  name: namesFlag(),
  'older-than': durationFlag({
    description: 'only connectors whose last heartbeat is longer ago',
  }),
  ...outputFlags,
  sort: textFlag({
    description: 'field to sort by, such as name or labels.rack; prefix - for descending',
    helpValue: 'FIELD',
  }),
  status: listFlag({
    char: letters.status,
    description: 'only connectors with one of these statuses, such as offline,stale',
    helpValue: 'STATUS',
  }),
  watch: Flags.boolean({
    char: letters.watch,
    description:
      'show the table again and again on a terminal; for changes in a pipe, see connector monitor',
    exclusive: ['no-headers'],
  }),
};

export type ConnectorListFlags = Interfaces.InferredFlags<typeof connectorListFlags>;

/**
 * Puts a space before each descending sort key: the framework's parser takes `--sort -name` for the flag `-n`.
 *
 * @param argv the unparsed words of a command line
 */
export function withProtectedSortKey(argv: readonly string[]): string[] {
  return argv.map((word, index) => {
    // One letter alone is a flag.
    if (argv[index - 1] === '--sort' && /^-[a-z_]\w/i.test(word)) return ` ${word}`;
    return word.replace(/^--sort=(?=-)/, '--sort= ');
  });
}

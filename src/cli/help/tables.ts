import {statusTable} from '../connectors/statuses.js';

/** Lists of a command by their headings, such as its exit codes: by each entry, when it applies. */
export type HelpTables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What help and the page of a command list beside its flags. Only help loads this module. */
export const helpTables: Readonly<Record<string, HelpTables>> = {
  conformance: {
    'Exit codes': {
      0: 'every must holds; with --strict, every should too',
      6: 'nothing responds',
      9: 'a check failed that is not in the baseline, or one in the baseline passed',
    },
  },
  'connector:activate': {
    'Exit codes': {
      0: 'activated, now or by an earlier run into the same file',
      5: 'the token is used, or has expired',
      6: 'the service is unavailable, or another process activates into the same file',
    },
  },
  'connector:check': {
    'Exit codes': {
      0: 'everything holds; a warning counts only with --fail-on-warning',
      9: 'a rule or the inventory does not hold',
      others: 'the check was not carried out: 3 for a refused key, 6 for an unreachable service',
      '0 to 3': 'with -o nagios: ok, warning, critical, unknown',
    },
  },
  'connector:enroll': {
    'Exit codes': {
      0: 'every machine is activated',
      3: 'the service refused the key, and all workers stopped',
      6: 'the service was lost and the rest is skipped, or another process uses the directory',
      9: 'a machine is not activated, or the list is empty',
    },
  },
  'connector:get': {
    'Exit codes': {
      4: 'no connector has the id',
      6: 'with --wait: the connector did not get the status in time',
      9: 'with --wait: stdin had no id',
    },
  },
  'connector:list': {Statuses: statusTable},
  'connector:monitor': {
    'Exit codes': {
      0: 'SIGINT or SIGTERM ended it; with --once: everything holds',
      6: 'another monitor uses the state file; with --once: --exec failed',
      9: 'with --once: a rule or the inventory does not hold',
    },
  },
  'connector:run': {
    'Exit codes': {
      0: 'SIGINT or SIGTERM stopped it',
      others: 'with COMMAND: the code of COMMAND',
      '128 + n': 'signal n killed COMMAND',
      125: 'with COMMAND: connectorctl failed before the start, or the token was refused',
      126: 'COMMAND cannot be executed',
      127: 'COMMAND does not exist',
    },
  },
  'store:check': {
    'Exit codes': {
      0: 'every line is as it was written',
      2: 'the format is newer, or the store does not fit into the memory',
      4: 'there is no store',
      6: 'the store is damaged',
    },
  },
  doctor: {'Exit codes': {0: 'every step succeeded', others: 'the code of the first failure'}},
};

/** What `connectorctl help NAME` shows beside commands; help-topics.ts has the texts. */
export const topicSummaries = {
  'exit-codes': 'Exit codes of all commands',
  environment: 'Environment variables, and the flags that override them',
  statuses: 'Statuses of a connector, and when it has each',
} as const;

export type TopicName = keyof typeof topicSummaries;

/** Whether there is a help topic of this name. */
export const isTopic = (name: string): name is TopicName => Object.hasOwn(topicSummaries, name);

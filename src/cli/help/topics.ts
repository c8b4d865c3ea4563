import type {Interfaces} from '@oclif/core';
import {exitCodes} from '../../errors.js';
import {statusTable} from '../connectors/statuses.js';
import {environmentOf} from './catalog.js';
import type {TopicName} from './tables.js';

/** A text of help that belongs to no command: `connectorctl help NAME`. */
interface HelpTopic {
  readonly rows: (config: Pick<Interfaces.Config, 'commands'>) => readonly (readonly string[])[];
  /** What the rows do not say. */
  readonly note: string;
}

export const helpTopics: Readonly<Record<TopicName, HelpTopic>> = {
  'exit-codes': {
    rows: () => Object.values(exitCodes).map(({code, when}) => [`${code}`, when]),
    note: 'With --json an error has its code in exit_code, and the name of its kind in kind. The help of a command lists what its codes mean there.',
  },
  environment: {
    rows: ({commands}) =>
      environmentOf(commands.filter(({hidden}) => !hidden)).map(({name, flag, meaning}) => [
        name,
        flag === undefined ? meaning : `${flag}: ${meaning}`,
      ]),
    note: 'A flag overrides its variable, and a variable overrides the profile. HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, NO_COLOR and FORCE_COLOR mean what they do in other programs.',
  },
  statuses: {
    rows: () => Object.entries(statusTable),
    note: 'The times are those of the reference service with its default interval of 60 seconds. They change in proportion with serve --heartbeat-interval, and another service may have other statuses.',
  },
};

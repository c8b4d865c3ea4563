import {Flags, type Interfaces} from '@oclif/core';
import type {Client} from '../../client/types.js';
import {limits} from '../../contract/limits.js';
import {AppError} from '../../errors.js';
import {durationFlag, letters} from '../../flags.js';
import type {CredentialsFileService, ServiceSettings} from '../../service/settings.js';
import type {Io} from '../../terminal/io.js';

/** The flag for a credentials file; its default description is for commands that send heartbeats. */
export const credentialsFileFlag = (
  description = 'credentials file of activate or enroll; names the connector, service and key',
) => Flags.string({description, env: 'CONNECTORCTL_CREDENTIALS_FILE', helpValue: 'PATH'});

export const runFlags = {
  check: Flags.string({
    description: 'send a heartbeat only while this command, run by sh -c, succeeds within 30s',
    helpValue: 'CMD',
  }),
  'credentials-file': credentialsFileFlag(),
  every: durationFlag({
    description: 'interval between heartbeats; overrides the interval the service asks for',
    env: 'CONNECTORCTL_EVERY',
    min: limits.heartbeatInterval.min * 1000,
  }),
  name: Flags.string({
    char: letters.name,
    description: 'name of the connector, for its first start (default: the host name)',
    env: 'CONNECTORCTL_CONNECTOR_NAME',
    helpGroup: 'FIRST START',
    helpValue: 'NAME',
  }),
  'token-file': Flags.string({
    dependsOn: ['credentials-file'],
    description:
      'file that holds the activation token, for the first start; - is stdin. Not read once the credentials file is complete',
    helpGroup: 'FIRST START',
    helpValue: 'PATH',
  }),
};

type RunFlags = Interfaces.InferredFlags<typeof runFlags>;

/** A command's access to services. */
interface Services {
  /** @param known the service that a credentials file names; undefined without one */
  readonly settings: (known?: CredentialsFileService) => Promise<ServiceSettings>;
  /** A client that makes one attempt per call. */
  readonly connect: (settings: ServiceSettings, sendsToken: boolean) => Promise<Client>;
}

/** The parts of a command line of `connector run` that lead to a connector. */
export interface ConnectionSource {
  readonly id: string | undefined;
  readonly flags: Partial<RunFlags>;
  /** The words of a command that runs beside this process, and owns stdin and stdout. */
  readonly command: readonly string[] | undefined;
  readonly services: Services;
  readonly io: Io;
}

/** @throws AppError `usage` for parts of a command line that do not fit together */
export function checkForm(
  {'token-file': tokenFile, json: isJson}: Partial<RunFlags> & {readonly json?: boolean},
  id: string | undefined,
  command: readonly string[] | undefined,
): void {
  const conflicts: readonly (readonly [found: boolean, message: string, hint: string])[] = [
    [
      tokenFile !== undefined && id !== undefined,
      '--token-file cannot be used with an id.',
      'It is for the first start with --credentials-file, which creates the connector.',
    ],
    [
      tokenFile === '-' && command !== undefined,
      'The activation token cannot come from stdin, which belongs to the command.',
      'Pass a file with --token-file PATH, or set CONNECTORCTL_ACTIVATION_TOKEN.',
    ],
    [
      command?.length === 0,
      'There is no command after --.',
      'Write the command after the flags: -- COMMAND [ARG]...',
    ],
    [
      isJson === true && command !== undefined,
      '--json cannot be used with a command.',
      'stdout belongs to the command: leave out --json.',
    ],
  ];
  for (const [found, message, hint] of conflicts) {
    if (found) throw new AppError('usage', message, {hint});
  }
}

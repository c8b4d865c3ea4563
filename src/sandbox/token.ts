import {Flags} from '@oclif/core';
import type {VariableWithoutFlag} from '../flags.js';
import {readSecret} from '../service/secret-input.js';
import type {Io} from '../terminal/io.js';

const variable: VariableWithoutFlag = 'CONNECTORCTL_CONTROL_TOKEN';

/** The flag for a sandbox that has a control token. */
export const controlTokenFlags = {
  'control-token-file': Flags.string({
    description: "file that holds the sandbox's control token, where it has one",
    env: 'CONNECTORCTL_CONTROL_TOKEN_FILE',
    helpGroup: 'SERVICE',
    helpValue: 'PATH',
  }),
};

/** The control token: from its file, else from `CONNECTORCTL_CONTROL_TOKEN`. @throws AppError `usage` */
export function readControlToken(
  flags: {readonly 'control-token-file'?: string | undefined},
  io: Io,
): Promise<string | undefined> {
  const names = {what: 'control token', flag: '--control-token-file', io};
  return readSecret(flags['control-token-file'], variable, names);
}

import {Flags} from '@oclif/core';
import {inputFlags, letters} from '../../flags.js';

/** The flags of `connector activate`. */
export const activateFlags = {
  ...inputFlags,
  'credentials-file': Flags.string({
    description:
      'save the whole response to this file, readable only by you, instead of showing it',
    env: 'CONNECTORCTL_CREDENTIALS_FILE',
    helpValue: 'PATH',
  }),
  force: Flags.boolean({
    char: letters.force,
    dependsOn: ['credentials-file'],
    description:
      'activate again, and replace an existing credentials file; a symbolic link itself, not its target',
  }),
  name: Flags.string({
    char: letters.name,
    description:
      'name of the connector (prompted for; default: the name in the file that --force replaces, else the host name)',
    env: 'CONNECTORCTL_CONNECTOR_NAME',
    helpValue: 'NAME',
  }),
  'token-file': Flags.string({
    description: 'file that holds the activation token; - is stdin',
    helpValue: 'PATH',
  }),
};

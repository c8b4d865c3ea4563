import {cleanSecret} from '../domain/clean-secret.js';
import {refuseSecretAsPath} from '../domain/misplaced-secret.js';
import {textFlag, type VariableWithoutFlag} from '../flags.js';
import {readSecretFile} from '../service/secret-input.js';

const variable: VariableWithoutFlag = 'CONNECTORCTL_CONTROL_TOKEN';

const flag = 'control-token-file';

/** The flag for a sandbox that has a control token. */
export const controlTokenFlags = {
  [flag]: textFlag({
    description: "file that holds the sandbox's control token, where it has one",
    env: 'CONNECTORCTL_CONTROL_TOKEN_FILE',
    helpGroup: 'SERVICE',
    helpValue: 'PATH',
  }),
};

/** The control token: from its file, else from `CONNECTORCTL_CONTROL_TOKEN`. @throws AppError `usage` */
export async function readControlToken(flags: {
  readonly [flag]?: string | undefined;
}): Promise<string | undefined> {
  const path = flags[flag];
  if (path !== undefined) {
    refuseSecretAsPath(path, `--${flag}`);
    return readSecretFile(path, {what: 'control token', flag: `--${flag}`});
  }
  const text = cleanSecret(process.env[variable] ?? '');
  return text === '' ? undefined : text;
}

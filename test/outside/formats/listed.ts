import {runCommand} from '../../support/command/run-command.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

/** What `connector list -o FORMAT` prints of a fleet, of which a service sends this. */
export async function listed(format: string, fleet: readonly object[]): Promise<string> {
  const {url} = await thirdPartyService(json(fleet));
  const argv = ['connector', 'list', '-o', format, '--base-url', url];
  const {code, stdout, stderr} = await runCommand(argv, {CONNECTORCTL_API_KEY: organizationKey()});
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

import {runCommand} from '../../support/command/run-command.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {organizationKey} from '../../support/values/secrets.js';

/** Checks a fleet of two connectors with one name, one of them down. Returns the address of its service. */
export async function checkFleet(report: string, ...flags: readonly string[]): Promise<string> {
  const fleet = [
    {id: 'c-1', name: 'edge', status: 'online'},
    {id: 'c-2', name: 'edge', status: 'offline'},
  ];
  const {url} = await thirdPartyService(json(fleet));
  const argv = ['connector', 'check', '--base-url', url, '--report', report, ...flags];
  await runCommand(argv, {CONNECTORCTL_API_KEY: organizationKey()});
  return url;
}

import {isSameService} from '../../client/settings.js';
import type {Client} from '../../client/types.js';
import {AppError, exitCodes} from '../../errors.js';
import {
  type CredentialsFileService,
  refuseKeyFromStdin,
  type ServiceSettings,
} from '../service/settings.js';
import {type Connection, LiveConnection} from './connection.js';
import type {RunFlags} from './flags.js';
import {exitDuringLookup} from './process.js';
import {type HeartbeatTarget, heartbeatTarget} from './target.js';

/** How a command reaches services. */
export interface Services {
  readonly settings: (known?: CredentialsFileService) => Promise<ServiceSettings>;
  /** The settings where only the base URL matters. */
  readonly settingsByUrl: () => Promise<ServiceSettings>;
  /** The same settings, once every error in them is found. */
  readonly checked: (settings: ServiceSettings) => Promise<ServiceSettings>;
  /** A client that makes one attempt per call. */
  readonly connect: (settings: ServiceSettings, sendsToken: boolean) => Promise<Client>;
}

/** What `connector run` keeps online. */
interface Opened {
  readonly connection: LiveConnection;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
}

/**
 * Finds the connector of a command line; at the first start of a machine, activates it.
 *
 * @param hasCommand whether a command runs beside this process, which owns stdin
 * @returns undefined when a signal ended the wait for an activation, the normal way to end a process without a command
 * @throws AppError before anything is sent for a connector that exists
 */
export async function openConnection(
  id: string | undefined,
  flags: Partial<RunFlags>,
  hasCommand: boolean,
  services: Services,
): Promise<Opened | undefined> {
  const file = flags['credentials-file'];
  const open = async (target: HeartbeatTarget) => {
    const settings = await services.settings(target.service);
    if (hasCommand) refuseKeyFromStdin(settings.apiKey.value);
    await requireOwnService(settings, target, file);
    const checked = await services.checked(settings);
    const isOwnKey = settings.apiKey.origin === 'file';
    const connection: Connection = {
      id: target.id,
      fileKey: isOwnKey ? target.service?.apiKey : undefined,
      connect: () => services.connect(checked, false),
    };
    return {connection, timeout: settings.timeout.value};
  };
  let wasComplete = true;
  const complete = (path: string) => {
    wasComplete = false;
    return completeFile(path, flags, services);
  };
  let target: HeartbeatTarget;
  try {
    target = await heartbeatTarget(id, file, id === undefined ? complete : undefined);
  } catch (error) {
    if (!(error instanceof AppError) || !stopKinds.has(error.kind)) throw error;
    exitDuringLookup(hasCommand ? error.exitCode : exitCodes.ok.code);
    if (hasCommand || error.kind === 'hung_up') throw error;
    return undefined;
  }
  // An activation has warned already.
  if (wasComplete) await warnOfName(target, flags.name, file);
  const {connection, timeout} = await open(target);
  const readAgain = async () => (await open(await heartbeatTarget(id, file))).connection;
  return {connection: new LiveConnection(connection, readAgain, file), timeout};
}

/** The kinds of errors that a signal causes. */
const stopKinds: ReadonlySet<string> = new Set(['cancelled', 'hung_up', 'terminated']);

/** Loaded at the first start alone: later ones activate nothing. */
async function completeFile(
  path: string,
  flags: Partial<RunFlags>,
  {settingsByUrl, connect}: Services,
): Promise<void> {
  const {completeCredentials} = await import('./first-start.js');
  await completeCredentials(path, flags, {
    settings: settingsByUrl,
    connect: (settings) => connect(settings, true),
  });
}

/** The key of a file goes to no other service. @throws AppError `usage` */
async function requireOwnService(
  {baseUrl}: ServiceSettings,
  {service}: HeartbeatTarget,
  file = '',
): Promise<void> {
  if (service === undefined || isSameService(service.baseUrl, baseUrl.value)) return;
  const {requireSameService} = await import('../activation/service.js');
  requireSameService({base_url: service.baseUrl}, baseUrl.value, file);
}

async function warnOfName(
  {credentials}: HeartbeatTarget,
  name: string | undefined,
  file = '',
): Promise<void> {
  if (credentials === undefined || name === undefined) return;
  const {warnOfOtherName} = await import('../activation/result.js');
  warnOfOtherName(credentials, name, file);
}

import {join} from 'node:path';
import {connectorField} from '../../client/read/connector.js';
import {isSameService} from '../../client/settings.js';
import type {Client} from '../../client/types.js';
import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import type {Io} from '../../terminal/io.js';
import {otherTokenNotice} from '../../terminal/notices.js';
import {type Activation, activateInto} from '../activate/activate.js';
import {type ActivationPlan, planOf} from '../activate/plan.js';
import type {Credentials} from '../credentials/credentials.js';
import {CredentialsFiles} from '../credentials/files.js';
import type {Machine} from './machine-list.js';
import type {MachineResult} from './results.js';

/** The context that all machines share. */
export interface RowContext extends Pick<Activation, 'baseUrl' | 'signal'> {
  readonly client: Pick<Client, 'activateConnector' | 'createToken' | 'listConnectors'>;
  /** Directory of the credentials files. */
  readonly directory: string;
  readonly io: Io;
}

/** Predicts the result of a machine, without changing or sending anything. */
export async function previewMachine(
  {directory, baseUrl}: Pick<RowContext, 'baseUrl' | 'directory'>,
  machine: Machine,
): Promise<MachineResult> {
  const files = new CredentialsFiles(join(directory, machine.file));
  try {
    const plan = planOf(files, await files.read(), undefined);
    requireOwn(plan, machine, files, baseUrl);
    return plan.do === 'report' ? already(machine, plan.credentials) : {machine, result: 'planned'};
  } catch (error) {
    return failure(machine, error);
  }
}

/** Activates the connector of one machine, or finishes its interrupted activation. */
export async function enrollMachine(context: RowContext, machine: Machine): Promise<MachineResult> {
  const {client, baseUrl, directory, signal, io} = context;
  const {name} = machine;
  const files = new CredentialsFiles(join(directory, machine.file));
  try {
    const {credentials, isNew} = await activateInto({
      files,
      client,
      baseUrl,
      label: name,
      begin: async () => ({token: await createToken(context), name}),
      check: (plan) => requireOwn(plan, machine, files, baseUrl),
      neverHappened: async (error) => isExpired(error) && (await isMissing(context, name)),
      signal,
      io,
    });
    return {...already(machine, credentials), ...(isNew && {result: 'activated'})};
  } catch (error) {
    const result = failure(machine, error);
    return signal.aborted && result.result === 'failed' ? {machine, result: 'skipped'} : result;
  }
}

/** Creates a token. If its response is lost, no connector is activated, so the outcome is known. */
async function createToken({client, signal, io}: RowContext): Promise<string> {
  try {
    const {token, otherMayExist} = await client.createToken({}, {signal});
    if (otherMayExist) io.note(otherTokenNotice);
    return token;
  } catch (error) {
    throw error instanceof AppError ? error.with({outcomeUnknown: false}) : error;
  }
}

function already(machine: Machine, {connector_id: id, api_key: key}: Credentials): MachineResult {
  return {machine, result: 'already', id: id ?? undefined, hasKey: key !== null};
}

/** The result after an error, from which secrets are redacted. @throws any other error than an AppError */
function failure(machine: Machine, thrown: unknown): MachineResult {
  if (!(thrown instanceof AppError)) throw thrown;
  const error = thrown.with({message: redactSecrets(thrown.message)});
  return {machine, result: error.outcomeUnknown ? 'uncertain' : 'failed', error};
}

/** Refuses the files of another connector or of another service. @throws AppError `usage` */
function requireOwn(
  plan: ActivationPlan,
  {name}: Machine,
  {path, pending}: CredentialsFiles,
  baseUrl: string,
): void {
  if (plan.do === 'activate') return;
  const found: Pick<Credentials, 'base_url' | 'name' | 'requested_name'> =
    plan.do === 'resume' ? plan.unfinished : plan.credentials;
  const isOfService = isSameService(found.base_url, baseUrl);
  if (isOfService && (name === found.name || name === found.requested_name)) return;
  const owner = isOfService
    ? `the connector ${JSON.stringify(found.name)}`
    : `the service ${found.base_url}`;
  const at = plan.do === 'report' ? path : pending;
  throw new AppError('usage', `${at} belongs to ${owner}; nothing was sent.`);
}

const isExpired = ({reason, status}: AppError) =>
  reason === 'activation-token-expired' || status === 410;

/** Whether the service has no connector of this name. False when the list does not show it for certain. */
async function isMissing({client, signal}: RowContext, name: string): Promise<boolean> {
  // Services may change the case or the form of a name.
  const comparable = (text: string) => text.normalize('NFKC').trim().toLowerCase();
  try {
    const names = (await client.listConnectors({signal}).all()).map(connectorField.name);
    return names.every((one) => one !== undefined && comparable(one) !== comparable(name));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

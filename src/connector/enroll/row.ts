import {join} from 'node:path';
import {connectorField} from '../../client/read/connector.js';
import {isSameService} from '../../client/settings.js';
import type {Client} from '../../client/types.js';
import {redactSecrets} from '../../domain/secret.js';
import {AppError} from '../../errors.js';
import {activateInto} from '../activate/activate.js';
import {type ActivationPlan, planOf} from '../activate/plan.js';
import type {Credentials} from '../credentials/credentials.js';
import {CredentialsFiles} from '../credentials/files.js';
import type {Machine} from './machine-list.js';
import type {MachineResult} from './results.js';

/** The result of a machine. Its error may stop the whole run. */
export interface RowOutcome extends Omit<MachineResult, 'error' | 'machine'> {
  readonly error?: AppError | undefined;
}

/** The context that all machines share. */
export interface RowContext {
  readonly client: Pick<Client, 'activateConnector' | 'createToken' | 'listConnectors'>;
  readonly baseUrl: string;
  /** Directory of the credentials files. */
  readonly directory: string;
  /** Aborts the requests. */
  readonly signal: AbortSignal;
}

/** Predicts the result of a machine, without changing or sending anything. */
export async function previewMachine(
  {directory, baseUrl}: Pick<RowContext, 'baseUrl' | 'directory'>,
  machine: Machine,
): Promise<RowOutcome> {
  const files = new CredentialsFiles(join(directory, machine.file));
  try {
    const plan = planOf(files, await files.read(), undefined);
    requireOwn(plan, machine, files, baseUrl);
    return plan.do === 'report' ? already(plan.credentials) : {result: 'planned'};
  } catch (error) {
    if (error instanceof AppError) return {result: 'failed', error};
    throw error;
  }
}

/** Activates the connector of one machine, or finishes its interrupted activation. */
export async function enrollMachine(context: RowContext, machine: Machine): Promise<RowOutcome> {
  const {client, baseUrl, directory, signal} = context;
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
    });
    return {...already(credentials), ...(isNew && {result: 'activated'})};
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.outcomeUnknown) return {result: 'uncertain', error};
    return signal.aborted ? {result: 'skipped'} : {result: 'failed', error};
  }
}

/** Creates a token. If its response is lost, no connector is activated, so the outcome is known. */
async function createToken({client, signal}: RowContext): Promise<string> {
  try {
    return (await client.createToken({}, {signal})).token;
  } catch (error) {
    throw error instanceof AppError ? error.with({outcomeUnknown: false}) : error;
  }
}

const already = ({connector_id: id, api_key: key}: Credentials): RowOutcome => ({
  result: 'already',
  id: id ?? undefined,
  hasKey: key !== null,
});

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

/** Whether the service has no connector of this name. False when it does not say. */
async function isMissing({client, signal}: RowContext, name: string): Promise<boolean> {
  // Services may change the case or the form of a name.
  const comparable = (text: string) => text.normalize('NFKC').trim().toLowerCase();
  try {
    const names = (await client.listConnectors({signal}).sent()).map(connectorField.name.read);
    return names.every((one) => one !== undefined && comparable(one) !== comparable(name));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The result of a row, with secrets redacted from its error. */
export function resultOf(machine: Machine, {result, id, hasKey, error}: RowOutcome): MachineResult {
  const shown = error && {kind: error.kind, message: redactSecrets(error.message)};
  return {machine, result, id, hasKey, error: shown};
}

import {Flags, type Interfaces} from '@oclif/core';
import type {ClientOptions} from '../../client/types.js';
import type {Finding} from '../../domain/fleet/findings.js';
import {referenceId} from '../../domain/selection.js';
import {AppError} from '../../errors.js';
import type {ReportRun} from '../../report/report.js';
import {type Clock, systemClock} from '../../system/clock.js';
import {escapeControl} from '../../terminal/escape.js';
import {createStatusLine} from '../../terminal/status-line.js';
import {writeMessage} from '../../terminal/streams.js';
import type {Check} from '../model.js';
import type {Session} from '../session.js';
import type * as Suite from '../suite.js';
import {conformanceReport, unreachableError} from './report.js';
import {selectionFlags} from './selection.js';
import {openSession, sessionFlags} from './session.js';

/** The reason to skip a check, by what the run lacks for it. */
const missing = {
  writes: 'it creates tokens or connectors: allow that with --writes-to HOST',
  'second-key':
    'it needs a key of another organization: --second-api-key-file, or CONNECTORCTL_SECOND_API_KEY',
  'revoked-key': 'it needs a revoked key: --revoked-api-key-file, or CONNECTORCTL_REVOKED_API_KEY',
} as const;

/** The flags of the command. */
export const conformanceFlags = {
  list: Flags.boolean({description: 'list the checks, and send nothing'}),
  ...selectionFlags,
  ...sessionFlags,
  strict: Flags.boolean({
    description:
      'treat a failed should as a failure, and a skipped must that --skip does not name too',
  }),
};

/** What a run needs besides the service. */
interface Run {
  readonly suite: typeof Suite;
  /** In the order of the report. */
  readonly selected: readonly Check[];
  readonly flags: Interfaces.InferredFlags<typeof conformanceFlags>;
}

/**
 * Examines the service of a client.
 *
 * @param clock for the waits between requests
 * @throws AppError `usage` for flags that the service does not allow, `cancelled`
 */
export async function examineService(
  client: ClientOptions,
  {suite, selected, flags}: Run,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<ReportRun> {
  const {strict} = flags;
  const service = String(client.baseUrl);
  const startedAt = new Date();
  const findings: Finding[] = [];
  try {
    const {session, notices} = await openSession(suite, client, flags, {signal, clock});
    for (const line of notices) writeMessage(escapeControl(line));
    for await (const finding of runShown(suite, session, selected, {strict, signal}))
      findings.push(finding);
    const removal = removalOf(session);
    if (removal !== undefined) writeMessage(`To remove the connectors of this run, ${removal}`);
  } catch (thrown) {
    const error = unreachableError(thrown, service);
    if (error === undefined) throw thrown;
    return {report: conformanceReport({service, startedAt, strict}, findings, error), error};
  }
  const ids = selected.map(({id}) => id as string);
  findings.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return {report: conformanceReport({service, startedAt, strict}, findings)};
}

/** How to remove the connectors of a run at the reference service; undefined elsewhere, and without any. */
function removalOf({activations, isSandbox, run}: Session): string | undefined {
  const isOurs = activations.known().some(({id}) => referenceId.test(id));
  if (!isOurs || isSandbox) return undefined;
  return `on the machine of the service: connectorctl store remove --name 'conformance-${run}-*' --yes`;
}

/** Carries out checks, and shows the current one on the status line. @throws AppError `cancelled` */
async function* runShown(
  suite: typeof Suite,
  session: Session,
  checks: readonly Check[],
  options: Omit<Parameters<typeof suite.runChecks>[2], 'missing' | 'onCheck'>,
): AsyncGenerator<Finding> {
  let current: Check | undefined;
  const endLine = createStatusLine()?.begin(() => current && `Checking ${current.id} …`);
  const onCheck = (check: Check) => {
    current = check;
  };
  try {
    yield* suite.runChecks(session, checks, {...options, missing, onCheck});
  } catch (error) {
    if (!options.signal?.aborted) throw error;
    const left = `The service may have connectors of this run, named conformance-${session.run}-…`;
    const removal = removalOf(session);
    throw new AppError('cancelled', 'Interrupted before all checks were done.', {
      ...(session.options.mayWrite && {
        hint: removal === undefined ? `${left}.` : `${left}. To remove them, ${removal}`,
      }),
      cause: error,
    });
  } finally {
    endLine?.();
  }
}

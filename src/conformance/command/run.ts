import {Flags, type Interfaces} from '@oclif/core';
import type {ClientOptions} from '../../client/types.js';
import type {Finding} from '../../domain/check/findings.js';
import {suggestion} from '../../domain/words.js';
import {AppError} from '../../errors.js';
import type {ReportRun} from '../../report/report.js';
import type {Check} from '../model.js';
import type * as Suite from '../suite.js';
import {openSession, removalOf, type SessionContext, sessionFlags} from './session.js';
import {conformanceReport} from './text.js';

/** The reasons to skip a check, by the requirement that the run does not meet. */
const missing = {
  writes: 'it creates tokens or connectors: allow that with --writes-to HOST',
  'second-key':
    'it needs a key of another organization: --second-api-key-file, or CONNECTORCTL_SECOND_API_KEY',
  'revoked-key': 'it needs a revoked key: --revoked-api-key-file, or CONNECTORCTL_REVOKED_API_KEY',
} as const;

export const conformanceFlags = {
  list: Flags.boolean({description: 'list the checks, and send nothing'}),
  'open-points': Flags.boolean({
    description: 'also show what the interface leaves open, beside what the reference service does',
  }),
  only: Flags.string({
    description: 'only this check or section, such as 4.2/single-use or 4.2; may be repeated',
    helpValue: 'ID',
    multiple: true,
  }),
  skip: Flags.string({
    description: 'leave out this check or section; may be repeated',
    helpValue: 'ID',
    multiple: true,
  }),
  ...sessionFlags,
  strict: Flags.boolean({
    description:
      'fail also when a should does not hold, or a must is skipped that --skip does not name',
  }),
};

type ConformanceFlags = Interfaces.InferredFlags<typeof conformanceFlags>;

/** The parts of a run besides the service. */
interface Examination {
  readonly suite: Omit<typeof Suite, 'checks'>;
  /** The selected checks in the order of the report. */
  readonly selected: readonly Check[];
  readonly flags: ConformanceFlags;
}

/**
 * Runs the selected checks against the service of a client, and shows the current one on the status line.
 *
 * @throws AppError `usage` for flags that do not fit the service, `cancelled` after an interruption
 */
export async function examineService(
  client: ClientOptions,
  {suite, selected, flags}: Examination,
  context: SessionContext,
): Promise<ReportRun> {
  const {io, signal} = context;
  const {strict} = flags;
  const about = {service: String(client.baseUrl), startedAt: new Date(), strict};
  const findings: Finding[] = [];
  let session: Suite.Session | undefined;
  let current: Check | undefined;
  const onCheck = (check: Check) => {
    current = check;
  };
  const endLine = io.progress(() => current && `Checking ${current.id} …`);
  try {
    session = await openSession(suite, client, flags, context);
    const options = {strict, signal, missing, onCheck};
    for await (const one of suite.runChecks(session, selected, options)) findings.push(one);
  } catch (error) {
    if (signal.aborted && session !== undefined) throw interrupted(session, error);
    const isEndOfRun = error instanceof AppError && ['unavailable', 'auth'].includes(error.kind);
    if (!isEndOfRun) throw error;
    return {report: conformanceReport(about, findings, error), error};
  } finally {
    endLine();
  }
  const removal = removalOf(session);
  if (removal !== undefined) io.note(`To remove the connectors of this run, ${removal}`);
  const ids = selected.map(({id}) => id as string);
  findings.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  return {report: conformanceReport(about, findings)};
}

function interrupted(session: Suite.Session, cause: unknown): AppError {
  const left = `The service may have connectors of this run, named conformance-${session.run}-…`;
  const removal = removalOf(session);
  const hint = removal === undefined ? `${left}.` : `${left}. To remove them, ${removal}`;
  return new AppError('cancelled', 'Interrupted before all checks were done.', {
    ...(session.options.mayWrite && {hint}),
    cause,
  });
}

/** Whether a check has this id, or is in this section: `4.2/single-use`, `4.2`, `4`. */
function matches(id: string, selector: string): boolean {
  return id === selector || (id.startsWith(selector) && /^[./]/.test(id.slice(selector.length)));
}

/** The checks that `--only` and `--skip` leave. @throws AppError `usage` when one names no check */
export function selectChecks(
  checks: readonly Check[],
  {only, skip = []}: Pick<ConformanceFlags, 'only' | 'skip'>,
): readonly Check[] {
  const ids = checks.map(({id}) => id);
  const unknown = [...(only ?? []), ...skip].find((one) => !ids.some((id) => matches(id, one)));
  if (unknown !== undefined) {
    const near = ids.find((id) => id.endsWith(`/${unknown}`)) ?? suggestion(unknown, ids);
    const all = 'See the ids with: connectorctl conformance --list';
    throw new AppError('usage', `No such check or section: ${JSON.stringify(unknown)}`, {
      hint: near === undefined ? all : `Did you mean ${near}? ${all}`,
    });
  }
  const isNamed = ({id}: Check, selectors: readonly string[]) =>
    selectors.some((one) => matches(id, one));
  return checks.filter((check) => (!only || isNamed(check, only)) && !isNamed(check, skip));
}

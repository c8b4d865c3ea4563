import type {Check} from '../../conformance/model.js';
import type {Session} from '../../conformance/session.js';
import type * as Suite from '../../conformance/suite.js';
import type {Finding} from '../../domain/findings.js';
import {AppError} from '../../errors.js';
import {createStatusLine} from '../terminal/status-line.js';

/** Why a check is skipped, by what the run lacks for it. */
const missing = {
  writes: 'it creates tokens or connectors: allow that with --writes-to HOST',
  'second-key':
    'it needs a key of another organization: --second-api-key-file, or CONNECTORCTL_SECOND_API_KEY',
  'revoked-key': 'it needs a revoked key: --revoked-api-key-file, or CONNECTORCTL_REVOKED_API_KEY',
} as const;

/** Carries out checks, and shows the current one on the status line. @throws AppError `cancelled` */
export async function* runShown(
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
    throw new AppError('cancelled', 'Interrupted before all checks were done.', {
      ...(session.options.mayWrite && {
        hint: `The service may have connectors of this run, named conformance-${session.run}-….`,
      }),
      cause: error,
    });
  } finally {
    endLine?.();
  }
}

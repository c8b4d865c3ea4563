import type {Check} from '../../conformance/model.js';
import {AppError} from '../../errors.js';

/** Whether a check has this id, or is in this section: `4.2/single-use`, `4.2`, `4`. */
function matches(id: string, selector: string): boolean {
  return id === selector || (id.startsWith(selector) && /^[./]/.test(id.slice(selector.length)));
}

/** The checks that `--only` and `--skip` leave. @throws AppError `usage` when one names no check */
export function selectChecks(
  checks: readonly Check[],
  only: readonly string[] = [],
  skipped: readonly string[] = [],
): readonly Check[] {
  const unknown = [...only, ...skipped].find((one) => !checks.some(({id}) => matches(id, one)));
  if (unknown !== undefined) {
    throw new AppError('usage', `${JSON.stringify(unknown)} names no check.`, {
      hint: 'See the ids with: connectorctl conformance --list. A section, such as 4.2, names all of its checks.',
    });
  }
  return checks.filter(
    ({id}) =>
      (only.length === 0 || only.some((one) => matches(id, one))) &&
      !skipped.some((one) => matches(id, one)),
  );
}

import {Flags, type Interfaces} from '@oclif/core';
import {suggestion} from '../../domain/suggestion.js';
import {AppError} from '../../errors.js';
import type {Check} from '../model.js';

/** The flags that select checks. */
export const selectionFlags = {
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
};

/** Whether a check has this id, or is in this section: `4.2/single-use`, `4.2`, `4`. */
function matches(id: string, selector: string): boolean {
  return id === selector || (id.startsWith(selector) && /^[./]/.test(id.slice(selector.length)));
}

/** The checks that `--only` and `--skip` leave. @throws AppError `usage` when one names no check */
export function selectChecks(
  checks: readonly Check[],
  {only = [], skip: skipped = []}: Interfaces.InferredFlags<typeof selectionFlags>,
): readonly Check[] {
  const unknown = [...only, ...skipped].find((one) => !checks.some(({id}) => matches(id, one)));
  if (unknown !== undefined) {
    const ids = checks.map(({id}) => id);
    const near = ids.find((id) => id.endsWith(`/${unknown}`)) ?? suggestion(unknown, ids);
    const all = 'See the ids with: connectorctl conformance --list';
    throw new AppError('usage', `No such check or section: ${JSON.stringify(unknown)}`, {
      hint: near === undefined ? all : `Did you mean ${near}? ${all}`,
    });
  }
  return checks.filter(
    ({id}) =>
      (only.length === 0 || only.some((one) => matches(id, one))) &&
      !skipped.some((one) => matches(id, one)),
  );
}

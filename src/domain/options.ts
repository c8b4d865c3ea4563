import {AppError} from '../errors.js';

/**
 * Refuses an option that a function does not have, such as a misspelled one, which would be ignored.
 *
 * @param owner the function, as the message names it
 * @param known an object with the name of each option that there is
 * @throws AppError `usage` with the reason `option-unknown`
 */
export function checkNames<Options extends object>(
  owner: string,
  options: Options,
  known: Readonly<Record<keyof Options, unknown>>,
): void {
  const names = Object.keys(known);
  const unknown = Object.keys({...options}).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = `${owner} has no option ${unknown}; it has ${names.join(', ')}.`;
  throw new AppError('usage', message, {reason: 'option-unknown'});
}

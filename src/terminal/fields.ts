import {escapeControl} from './escape.js';

/**
 * One line per field: `base URL      http://127.0.0.1:4480`. Not a table: a path is useless when it is cut.
 *
 * @param width columns for the names
 */
export function renderFields(
  fields: readonly (readonly [name: string, value: string])[],
  width = 12,
): string {
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${escapeControl(value)}\n`).join('');
}

/** A setting and its source: a flag, a variable, a profile, a file or the default. */
export interface SettingView {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

/** A value and its source: `http://127.0.0.1:4480 (default)`. */
export const settingText = ({value, from}: SettingView): string => `${value} (${from})`;

import {escapeControl} from './escape.js';

/** A setting and what said so: a flag, a variable, a profile, a file, or nothing at all. */
export interface SettingView {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

/**
 * `base URL  http://127.0.0.1:4480 (default)`, a line for each. No table: a path is as long as it is,
 * and cut it would help nobody.
 */
export function renderSettings(settings: readonly SettingView[]): string {
  const widest = Math.max(...settings.map(({name}) => name.length));
  const lines = settings.map(
    ({name, value, from}) => `${name.padEnd(widest)}  ${escapeControl(`${value} (${from})`)}\n`,
  );
  return lines.join('');
}

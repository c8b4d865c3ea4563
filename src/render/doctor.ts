import {escapeControl} from './escape.js';
import type {Palette} from './palette.js';

/** The result of a check; `warn` does not fail the command. */
export type Verdict = 'ok' | 'warn' | 'fail';

/** One check: what it examined, its result, and how to fix a problem. */
export interface CheckResultView {
  readonly name: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly hint?: string | undefined;
}

/** Length of the longest name of a check; the details are aligned after it. */
const nameWidth = 8;

const shownVerdicts = {
  ok: {text: 'ok  ', colour: 'success'},
  warn: {text: 'warn', colour: 'warning'},
  fail: {text: 'FAIL', colour: 'error'},
} as const satisfies Record<Verdict, {text: string; colour: keyof Palette}>;

/** `ok    TCP       127.0.0.1, port 4480 accepts connections`, and the hint, if any, on the next line. */
export function renderCheckResult(finding: CheckResultView, palette: Palette): string {
  const {name, verdict, detail, hint} = finding;
  const {text, colour} = shownVerdicts[verdict];
  const indent = ' '.repeat(text.length + 2 + nameWidth + 2);
  const line = `${palette[colour](text)}  ${name.padEnd(nameWidth)}  ${escapeControl(detail)}\n`;
  return hint === undefined ? line : `${line}${indent}${escapeControl(hint)}\n`;
}

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

/** One line per setting: `base URL  http://127.0.0.1:4480 (default)`. */
export function renderSettings(settings: readonly SettingView[]): string {
  const widest = Math.max(...settings.map(({name}) => name.length));
  return renderFields(
    settings.map(({name, value, from}) => [name, `${value} (${from})`]),
    widest,
  );
}

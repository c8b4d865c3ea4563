import {escapeControl} from './escape.js';
import type {Palette} from './palette.js';

/** How a step of an examination went; `warn` is worth a look and no failure. */
export type Verdict = 'ok' | 'warn' | 'fail';

/** One step of an examination: what was looked at, how it is, and how to mend it. */
export interface FindingView {
  readonly name: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly hint?: string | undefined;
}

/** Widest name of a step; the details line up behind it. */
const nameWidth = 8;

const shownVerdicts = {
  ok: {text: 'ok  ', colour: 'success'},
  warn: {text: 'warn', colour: 'warning'},
  fail: {text: 'FAIL', colour: 'error'},
} as const satisfies Record<Verdict, {text: string; colour: keyof Palette}>;

/** `ok    TCP       127.0.0.1, port 4480 accepts connections`, and below it what to do where it is not well. */
export function renderFinding(finding: FindingView, palette: Palette): string {
  const {name, verdict, detail, hint} = finding;
  const {text, colour} = shownVerdicts[verdict];
  const indent = ' '.repeat(text.length + 2 + nameWidth + 2);
  const line = `${palette[colour](text)}  ${name.padEnd(nameWidth)}  ${escapeControl(detail)}\n`;
  return hint === undefined ? line : `${line}${indent}${escapeControl(hint)}\n`;
}

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

import {escapeControl} from './escape.js';
import type {Palette} from './palette.js';

/** One line of an examination: what was looked at, whether it is well, and how to mend it. */
export interface FindingView {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint?: string | undefined;
}

/** Widest name of a check; the details line up behind it. */
const checkWidth = 12;

/** `ok    TCP          127.0.0.1:4480 accepts connections`, and below it what to do where it is not. */
export function renderFinding({check, ok, detail, hint}: FindingView, palette: Palette): string {
  const verdict = ok ? palette.good('ok  ') : palette.bad('FAIL');
  const line = `${verdict}  ${check.padEnd(checkWidth)} ${escapeControl(detail)}\n`;
  return hint === undefined
    ? line
    : `${line}      ${' '.repeat(checkWidth)} ${escapeControl(hint)}\n`;
}

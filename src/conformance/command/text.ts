import type {Finding} from '../../domain/check/findings.js';
import {statusLabels} from '../../report/formats/text.js';
import type {Report} from '../../report/report.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import type {Check} from '../model.js';

/** Spaces before the lines below a finding. */
const indent = ' '.repeat(6);

/** A line per check; more below a fail, warn or error, and the reference's behavior below an open point. */
export function renderConformance({findings, summary}: Report, palette: Palette): string {
  const lines = findings.flatMap((finding) => renderFinding(finding, palette));
  return `${[...lines, '', escapeControl(summary)].join('\n')}\n`;
}

function renderFinding(
  {id, status, message, subject, details = {}}: Finding,
  palette: Palette,
): readonly string[] {
  const {text, color} = statusLabels[status];
  const {source, curl} = details;
  const level = String(details['level'] ?? '');
  const head = `${palette[color](text)}  ${id.padEnd(24)} ${level.padEnd(9)} ${escapeControl(message)}`;
  const reference = `${indent}reference service: ${escapeControl(String(details['reference']))}`;
  if (status === 'info' && level === 'open') return [head, reference];
  if (!['fail', 'warn', 'error'].includes(status) || level === '') return [head];
  return [
    head,
    `${indent}${escapeControl(subject)} (${source})`,
    reference,
    ...(typeof curl === 'string' ? [indent + escapeControl(curl)] : []),
  ];
}

/** The list of checks: id, level, requirements and title. */
export function renderList(checks: readonly Check[]): string {
  const lines = checks.map(({id, level, needs = [], title}) => {
    const needed = needs.length === 0 ? '' : ` (needs ${needs.join(', ')})`;
    return `${id.padEnd(24)} ${level.padEnd(9)} ${title}${needed}`;
  });
  return `${lines.join('\n')}\n`;
}

/** The list of checks as `--json` shows it. */
export function listJson(checks: readonly Check[]): readonly object[] {
  return checks.map(({id, level, title, source, reference, needs = []}) => {
    return {id, level, title, source, reference, needs};
  });
}

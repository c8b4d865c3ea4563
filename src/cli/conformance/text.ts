import type {Check} from '../../conformance/model.js';
import type {Finding} from '../../domain/findings.js';
import {escapeControl} from '../../render/escape.js';
import type {Palette} from '../../render/palette.js';
import type {Report} from '../../render/report/report.js';
import {statusLabels} from '../../render/report/text.js';

/** A report for people: a line per check, and for one that does not hold how to repeat it. */
export function renderConformance({findings, summary}: Report, palette: Palette): string {
  const lines = findings.flatMap((finding) => renderFinding(finding, palette));
  return `${[...lines, '', escapeControl(summary)].join('\n')}\n`;
}

function renderFinding(
  {id, status, message, subject, details}: Finding,
  palette: Palette,
): string[] {
  const {text, colour} = statusLabels[status];
  const level = String(details?.['level'] ?? '');
  const head = `${palette[colour](text)}  ${id.padEnd(24)} ${level.padEnd(9)} ${escapeControl(message)}`;
  const isOpen = status === 'info' && level === 'open';
  if (isOpen)
    return [head, `      reference service: ${escapeControl(String(details?.['reference']))}`];
  if (status !== 'fail' && status !== 'warn' && status !== 'error') return [head];
  if (details === undefined) return [head];
  const {source, reference, curl} = details;
  return [
    head,
    `      ${escapeControl(subject)} (${source})`,
    `      reference service: ${reference}`,
    ...(typeof curl === 'string' ? [`      ${escapeControl(curl)}`] : []),
  ];
}

/** The list of checks: id, level, what it needs, and what holds. */
export function renderList(checks: readonly Check[]): string {
  const lines = checks.map(({id, level, needs = [], title}) => {
    const needed = needs.length === 0 ? '' : ` (needs ${needs.join(', ')})`;
    return `${id.padEnd(24)} ${level.padEnd(9)} ${title}${needed}`;
  });
  return `${lines.join('\n')}\n`;
}

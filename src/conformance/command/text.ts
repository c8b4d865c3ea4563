import type {Finding} from '../../domain/fleet/findings.js';
import {statusLabels} from '../../report/formats/text.js';
import type {Report} from '../../report/report.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Palette} from '../../terminal/palette.js';
import type {Check} from '../model.js';

/** Where a message begins, and where the lines below a finding do. */
const columns = {message: 41, detail: 6} as const;

/**
 * A report for people: a line per check, and for one that does not hold how to repeat it.
 *
 * @param width of the terminal, at which lines break between words; without it lines are not broken
 */
export function renderConformance(
  {findings, summary}: Report,
  palette: Palette,
  width?: number,
): string {
  const lines = findings.flatMap((finding) => renderFinding(finding, palette, width));
  return `${[...lines, '', ...broken(escapeControl(summary), 0, width)].join('\n')}\n`;
}

function renderFinding(
  {id, status, message, subject, details}: Finding,
  palette: Palette,
  width: number | undefined,
): string[] {
  const {text, color} = statusLabels[status];
  const level = String(details?.['level'] ?? '');
  const detail = (words: string) => broken(words, columns.detail, width);
  const isNarrow = width !== undefined && width < 80;
  const start = `${palette[color](text)}  ${id.padEnd(24)} ${level}`;
  const [first = '', ...further] = broken(escapeControl(message), columns.message, width);
  const head = isNarrow
    ? [start, ...detail(escapeControl(message))]
    : [`${start.padEnd(start.length + 10 - level.length)}${first.trimStart()}`, ...further];
  const reference = `reference service: ${escapeControl(String(details?.['reference']))}`;
  if (status === 'info' && level === 'open') return [...head, ...detail(reference)];
  if (!['fail', 'warn', 'error'].includes(status) || details === undefined) return head;
  const {source, curl} = details;
  return [
    ...head,
    ...detail(`${escapeControl(subject)} (${source})`),
    ...detail(reference),
    // Not broken, so that it can be copied.
    ...(typeof curl === 'string' ? [' '.repeat(columns.detail) + escapeControl(curl)] : []),
  ];
}

/** A text in lines that are indented, and break between words. */
function broken(text: string, indent: number, width = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => ' '.repeat(indent) + one);
}

/** The list of checks: id, level, what it needs, and what holds. */
export function renderList(checks: readonly Check[]): string {
  const lines = checks.map(({id, level, needs = [], title}) => {
    const needed = needs.length === 0 ? '' : ` (needs ${needs.join(', ')})`;
    return `${id.padEnd(24)} ${level.padEnd(9)} ${title}${needed}`;
  });
  return `${lines.join('\n')}\n`;
}

/** The list of checks in the names of the JSON format. */
export function listJson(checks: readonly Check[]): readonly object[] {
  return checks.map(({id, level, title, source, reference, needs = []}) => {
    return {id, level, title, source, reference, needs};
  });
}

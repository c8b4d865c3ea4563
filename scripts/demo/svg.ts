import type {Frame, Piece} from './recording.js';

/** Colors of a picture: background, plain text, and the sixteen colors of a terminal. */
interface Theme {
  readonly background: string;
  readonly text: string;
  readonly colors: readonly string[];
}

const bright = ['#6e7781', '#cf222e', '#1a7f37', '#9a6700', '#0969da', '#8250df', '#1b7c83'];

export const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    background: '#f6f8fa',
    text: '#1f2328',
    colors: ['#24292f', ...bright.slice(1), '#57606a', ...bright, '#1f2328'],
  },
  dark: {
    background: '#0d1117',
    text: '#e6edf3',
    colors: [
      '#484f58',
      '#ff7b72',
      '#3fb950',
      '#d29922',
      '#58a6ff',
      '#bc8cff',
      '#39c5cf',
      '#b1bac4',
      '#8b949e',
      '#ffa198',
      '#56d364',
      '#e3b341',
      '#79c0ff',
      '#d2a8ff',
      '#56d4dd',
      '#f0f6fc',
    ],
  },
};

const cell = {width: 8.4, height: 19};
const margin = 14;

/** The content of one line of the screen, and the time span in which it is visible. */
interface Run {
  readonly row: number;
  readonly markup: string;
  readonly from: number;
  to: number;
}

/**
 * A recording as an SVG that plays in a loop, without a script. Each line is one element for as long as
 * it stays the same. Without animation, the last frame is shown.
 *
 * @param hold milliseconds for which the last frame stays
 */
export function animation(
  frames: readonly Frame[],
  size: Size,
  theme: Theme,
  hold: number,
): string {
  const duration = (frames.at(-1)?.at ?? 0) + hold;
  const runs = runsOf(frames, duration, theme);
  const percent = (time: number) => `${Number(((100 * time) / duration).toFixed(2))}%`;
  const rules: string[] = [];
  const body = runs.map(({row, markup, from, to}, index) => {
    if (from === 0 && to === duration) return line(row, markup, '');
    const name = `r${index}`;
    const end = to === duration ? '' : `${percent(to)}{opacity:0}`;
    const start = from === 0 ? '0%{opacity:1}' : `0%{opacity:0}${percent(from)}{opacity:1}`;
    rules.push(`@keyframes ${name}{${start}${end}}#${name}{animation-name:${name}}`);
    return line(row, markup, ` id="${name}" class="${to === duration ? 'r' : 'r h'}"`);
  });
  const style = `.r{animation:${duration}ms step-end infinite}.h{opacity:0}${rules.join('')}@media(prefers-reduced-motion){.r{animation:none}}`;
  return picture(body.join('\n'), size, theme, style);
}

interface Size {
  readonly columns: number;
  readonly rows: number;
  /** A description of the picture, for screen readers. */
  readonly title: string;
}

function runsOf(frames: readonly Frame[], duration: number, theme: Theme): readonly Run[] {
  const runs: Run[] = [];
  const current = new Map<number, Run>();
  for (const {at, lines} of frames) {
    for (const [row, pieces] of lines.entries()) {
      const markup = markupOf(pieces, theme);
      const before = current.get(row);
      if (before?.markup === markup) continue;
      if (before !== undefined) before.to = at;
      const run = {row, markup, from: at, to: duration};
      current.set(row, run);
      runs.push(run);
    }
  }
  return runs.filter(({markup, from, to}) => markup !== '' && from < to);
}

function markupOf(pieces: readonly Piece[], {colors}: Theme): string {
  return pieces
    .flatMap(({column, text, color, bold, dim, underline}) => {
      const style = [
        ...(color === undefined ? [] : [` fill="${colors[color % 16]}"`]),
        ...(bold ? [' font-weight="bold"'] : []),
        ...(dim ? [' opacity=".6"'] : []),
        ...(underline ? [' text-decoration="underline"'] : []),
      ].join('');
      // SVG joins spaces, so what follows two of them gets its own position.
      return [...text.matchAll(/\S+(?: \S+)*/g)].map(
        ({0: words, index}) => `<tspan x="${x(column + index)}"${style}>${escaped(words)}</tspan>`,
      );
    })
    .join('');
}

const x = (column: number) => Number((margin + column * cell.width).toFixed(1));

function line(row: number, markup: string, attributes: string): string {
  return `<text y="${margin + (row + 0.75) * cell.height}"${attributes}>${markup}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function picture(body: string, {columns, rows, title}: Size, theme: Theme, style: string): string {
  const width = Math.ceil(2 * margin + columns * cell.width);
  const height = 2 * margin + rows * cell.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${theme.text}}${style}</style>
<rect width="${width}" height="${height}" rx="8" fill="${theme.background}"/>
${body}
</svg>
`;
}

import {type Figure, mebibytes, median, milliseconds} from '../figures.js';

/** A row of the table: what is timed, its reference, and the maximum ratio. */
interface Row {
  readonly what: string;
  readonly against: string;
  readonly most: number;
}

const bare = 'node -e 0';

const rows: readonly Row[] = [
  {what: 'connector get ID', against: bare, most: 2.2},
  {what: 'connector get ID', against: 'gh api', most: 1.3},
  {what: 'connector list (100)', against: bare, most: 2.8},
  {what: '--version', against: bare, most: 1.6},
  {what: '--version', against: 'gh --version', most: 1},
  {what: '--help', against: bare, most: 1.9},
  {what: 'connector get --help', against: bare, most: 1.9},
  {what: 'connector get ID, first run', against: 'connector get ID', most: 2},
];

/**
 * Maximum MiB of `connector get`. The executable has no target: the pages of its file count, and how many of
 * its 147 MiB the system maps differs from run to run.
 */
const mostMemory = 70;

const ratioText = (ratio: number) => `${ratio.toFixed(2)} ×`;

/** The figures of one group of runs. @param times milliseconds per subject, round by round */
export function timeFigures(title: string, times: ReadonlyMap<string, number[]>): Figure[] {
  return rows.flatMap(({what, against, most}) => {
    const ours = times.get(what);
    const theirs = times.get(against);
    if (ours === undefined || theirs === undefined) return [];
    const ratio = median(ours.map((time, round) => time / (theirs[round] ?? Number.NaN)));
    return {
      what: `${title}: ${what}`,
      measured: milliseconds(median(ours)),
      against: `${against}: ${milliseconds(median(theirs))}`,
      ratio: ratioText(ratio),
      target: `≤ ${ratioText(most)}`,
      reached: ratio <= most,
    };
  });
}

export function memoryFigure(
  title: string,
  bytes: readonly number[],
  isExecutable: boolean,
): Figure {
  const peak = median(bytes);
  return {
    what: `${title}: connector get ID, memory`,
    measured: mebibytes(peak),
    against: '',
    ratio: '',
    target: isExecutable ? '' : `≤ ${mostMemory} MiB`,
    reached: isExecutable || peak <= mostMemory * 1024 * 1024,
  };
}

/** Aliases of the bundle, which each update of a dependency has to check. */
const mostAliases = 12;

export function aliasFigure(count: number): Figure {
  return {
    what: 'aliases of the bundle',
    measured: `${count}`,
    against: '',
    ratio: '',
    target: `≤ ${mostAliases}`,
    reached: count <= mostAliases,
  };
}

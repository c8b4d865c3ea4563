import {type Figure, milliseconds, upTo} from '../figures.js';
import {median, medianRatio} from '../runs.js';

/** A row of the table: what is timed, its reference, and the maximum ratio. */
interface Row {
  readonly what: string;
  readonly against: string;
  /** Default: any ratio. */
  readonly most?: number;
}

const bare = 'node -e 0';

const rows: readonly Row[] = [
  {what: 'connector get ID', against: bare, most: 2.4},
  {what: 'connector get ID', against: 'gh api', most: 1.3},
  {what: 'connector list (100)', against: bare, most: 2.8},
  {what: '--version', against: bare, most: 1.5},
  {what: '--version', against: 'gh --version', most: 1},
  {what: '--help', against: bare, most: 1.8},
  {what: 'connector get --help', against: bare},
  {what: 'connector get ID, first run', against: 'connector get ID'},
];

/** The figures of one group of runs. @param times milliseconds per subject, round by round */
export function timeFigures(title: string, times: Readonly<Record<string, number[]>>): Figure[] {
  return rows.flatMap(({what, against, most}) => {
    const ours = times[what];
    const theirs = times[against];
    if (ours === undefined || theirs === undefined) return [];
    return {
      what: `${title}: ${what}`,
      measured: milliseconds(median(ours)),
      against: `${against}: ${milliseconds(median(theirs))}`,
      ...upTo(medianRatio(ours, theirs), most, most?.toFixed(2)),
    };
  });
}

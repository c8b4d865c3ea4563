import type {CheckOutcome, Need} from './outcome.js';
import type {Session} from './session.js';

/**
 * The weight of a check.
 * `must`: the interface says so.
 * `should`: it is good practice of HTTP or of security.
 * `open`: the interface leaves it open; it is observed and never evaluated.
 */
export type Level = 'must' | 'should' | 'open';

/** The order of checks: within a turn, the order of the sections. */
export const turns = {
  /** Most checks; some activate connectors. */
  first: 0,
  /** Checks that compare several connectors: they see all that earlier checks activated. */
  several: 1,
  /** Checks that may wait for minutes, or move the clock that far. */
  expiry: 2,
  /** A check of everything that the others sent. */
  end: 3,
} as const;

/** Section of the interface, or `http`, and name, such as `4.2/single-use`; stable across versions. */
export type CheckId = `${string}/${string}`;

/** One check: data, and one small function. */
export interface Check {
  readonly id: CheckId;
  readonly level: Level;
  /** The property that the check requires, or the subject of an observation. One sentence without a period. */
  readonly title: string;
  /** The source of the rule, such as `interface §4.2` or `RFC 9110 §15.5.2`. */
  readonly source: string;
  /** The behavior of the reference service. */
  readonly reference: string;
  readonly needs?: readonly Need[];
  /** The turn in which it runs; see `turns`. */
  readonly turn?: keyof typeof turns;
  /** @throws Inconclusive when a step that it depends on failed */
  run(session: Session): Promise<CheckOutcome>;
}

/** A check in a table. Default level: `should`; default source: security practice for `should`, else the interface. */
export type CheckRow = Omit<Check, 'id' | 'level' | 'source'> &
  Partial<Pick<Check, 'level' | 'source'>>;

export type Table<Row = CheckRow> = Readonly<Record<CheckId, Row>>;

/** The section of a check, by its id. */
export function sectionOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

/** The checks of a table. */
export function checksOf(table: Table): readonly Check[] {
  return Object.entries(table).map(([id, row]) => {
    const {level = 'should'} = row;
    const source = level === 'should' ? 'security practice' : `interface §${sectionOf(id)}`;
    return {level, source, ...row, id: id as CheckId};
  });
}

/** The table with a check in place of each row. */
export function mapTable<Row>(table: Table<Row>, toCheck: (row: Row) => CheckRow): Table {
  const rows = Object.entries(table).map(([id, row]) => [id, toCheck(row)] as const);
  return Object.fromEntries(rows);
}

/** Marks all checks of a table as ones that create tokens or connectors. */
export const writing = (table: Table): Table =>
  mapTable(table, (check) => ({needs: ['writes'], ...check}));

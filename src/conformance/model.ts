import type {CheckOutcome, Need} from './outcome.js';
import type {Session} from './session.js';

/**
 * The weight of a check.
 * `must`: the interface says so.
 * `should`: it is good practice of HTTP or of security.
 * `open`: the interface leaves it open; it is observed and never evaluated.
 * `extension`: the reference service offers more than the interface; observed and never evaluated.
 */
export type Level = 'must' | 'should' | 'open' | 'extension';

/** The order of checks: within a turn, the order of the sections. */
export const turns = {
  /** Most checks; they activate connectors. */
  first: 0,
  /** Checks that compare several connectors: they see all that the others activated. */
  several: 1,
  /** A check that waits, or moves the clock. */
  expiry: 2,
  /** A check of everything that the others sent. */
  end: 3,
} as const;

/** One check: data, and one small function. */
export interface Check {
  /** Section of the interface, or `http`, and name, such as `4.2/single-use`; stable across versions. */
  readonly id: `${string}/${string}`;
  readonly level: Level;
  /** The property that the check requires, or the subject of an observation. One sentence without a full stop. */
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

/** The section of a check, by its id. */
export function sectionOf({id}: Pick<Check, 'id'>): string {
  return id.slice(0, id.indexOf('/'));
}

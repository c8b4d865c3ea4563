/** A minute in milliseconds. */
export const minute = 60 * 1000;

/** A day in milliseconds. */
export const day = 24 * 60 * 60 * 1000;

/** Maximum difference, in milliseconds, between two clocks that count as equal. */
export const clockTolerance = 60_000;

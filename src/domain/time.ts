/** A day in milliseconds. */
export const day = 24 * 60 * 60 * 1000;

/** Maximum difference, in milliseconds, between two clocks that count as equal. */
export const clockTolerance = 60_000;

/** A day in milliseconds. */
export const day = 24 * 60 * 60 * 1000;

/** Two clocks that differ by less than this, in milliseconds, count as equal: no warning is due. */
export const clockTolerance = 60_000;

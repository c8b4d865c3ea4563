// Replaces `performance.now`: reading the global `performance` loads `node:perf_hooks`.

/** Milliseconds since a moment in the past; never goes backwards. */
export function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

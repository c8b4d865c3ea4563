/** A difference of two clocks that a `Date` header, in whole seconds, and a slow response explain, in milliseconds. */
const tolerance = 2000;

/**
 * The clock of the service, as its responses tell it; this machine's until then, and where they agree. Statuses
 * come from the service, so ages beside them must count by its clock: "online" and "30d ago" contradict each other.
 */
export class ServiceClock {
  #ahead = 0;

  /** Takes the time of a response that has just arrived. */
  heard(time: Date): void {
    const ahead = time.getTime() - Date.now();
    this.#ahead = Math.abs(ahead) < tolerance ? 0 : ahead;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return Date.now() + this.#ahead;
  }
}

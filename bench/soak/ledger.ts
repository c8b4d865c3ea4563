/** A connector as the service acknowledged it. */
export interface Acknowledged {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** Time of the last acknowledged heartbeat; empty before the first. Times in ISO 8601 sort as text. */
  lastBeat: string;
}

/** A connector in the response to a list. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly last_heartbeat_at: string | null;
}

/** Everything that the service acknowledged, to compare with what it lists. */
export class Ledger {
  readonly connectors = new Map<string, Acknowledged>();
  /** Names of attempted activations; each may have one connector at most. */
  readonly tried = new Set<string>();
  /** Activation tokens that were handed out and not used. */
  readonly unused: string[] = [];
  readonly used: string[] = [];
  /** Every loss and contradiction that was found. */
  readonly losses: string[] = [];
  readonly figures: Record<string, number> = {};
  readonly milliseconds: number[] = [];

  count(figure: string, by = 1): void {
    this.figures[figure] = (this.figures[figure] ?? 0) + by;
  }

  loss(what: string): void {
    this.losses.push(what);
  }

  /** The earliest time that the last heartbeat of each connector may have now. */
  promised(): Map<string, string> {
    return new Map([...this.connectors].map(([id, {lastBeat}]) => [id, lastBeat]));
  }

  /**
   * Compares a list with what was acknowledged before it was requested: nothing is lost or doubled, no
   * heartbeat is older than the acknowledged one, and no live connector has another status than online.
   *
   * @param aliveSince a connector with a heartbeat since then must be online
   */
  compare(
    list: readonly Listed[],
    promised: ReadonlyMap<string, string>,
    aliveSince: string,
  ): void {
    const seen = new Set<string>();
    const names = new Set<string>();
    for (const {id, name, status, last_heartbeat_at} of list) {
      if (seen.has(id)) this.loss(`${id} is listed twice`);
      if (names.has(name)) this.loss(`the activation of ${name} created two connectors`);
      if (!this.tried.has(name)) this.loss(`${name} was never activated`);
      seen.add(id);
      names.add(name);
      const beat = promised.get(id) ?? '';
      const listed = last_heartbeat_at ?? '';
      if (listed < beat) this.loss(`${id} sent a heartbeat at ${beat}, the list says ${listed}`);
      if (listed >= aliveSince && status !== 'online')
        this.loss(`${id} is alive and listed as ${status}`);
      if (listed === '' && status !== 'never')
        this.loss(`${id} never sent a heartbeat and is listed as ${status}`);
    }
    for (const id of promised.keys()) if (!seen.has(id)) this.loss(`${id} is lost`);
  }
}

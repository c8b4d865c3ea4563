/** One connector, as acknowledged to its clients. */
export interface KnownConnector {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** Time of the last acknowledged heartbeat; empty before. Times in ISO 8601 sort as text. */
  lastBeat: string;
}

/** A connector in a list of the service. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly last_heartbeat_at: string | null;
}

/** Everything that was acknowledged to the clients, to compare with what the store holds. */
export class Ledger {
  readonly connectors = new Map<string, KnownConnector>();
  /** Names of attempted activations; each may exist once at most. */
  readonly tried = new Set<string>();
  /** Activation tokens that were handed out and not used. */
  readonly unused: string[] = [];
  readonly used: string[] = [];
  /** The deviations that were found. */
  readonly losses: string[] = [];
  readonly figures: Record<string, number> = {};
  readonly milliseconds: number[] = [];

  count(figure: string, by = 1): void {
    this.figures[figure] = (this.figures[figure] ?? 0) + by;
  }

  loss(what: string): void {
    this.losses.push(what);
  }

  /** The earliest last heartbeat that each connector may have by now. */
  promised(): Map<string, string> {
    return new Map([...this.connectors].map(([id, {lastBeat}]) => [id, lastBeat]));
  }

  /**
   * Compares a list with what was acknowledged before its request: nothing is lost, duplicated or older than
   * acknowledged, and no live connector is reported as silent.
   *
   * @param aliveSince connectors with a heartbeat after that must be online
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
      if (names.has(name)) this.loss(`two connectors came to be of the activation of ${name}`);
      if (!this.tried.has(name)) this.loss(`no client activated ${name}`);
      seen.add(id);
      names.add(name);
      const beat = promised.get(id) ?? '';
      const listed = last_heartbeat_at ?? '';
      if (listed < beat) this.loss(`${id} beat at ${beat}, the list says ${listed}`);
      if (listed >= aliveSince && status !== 'online')
        this.loss(`${id} is alive and called ${status}`);
      if (listed === '' && status !== 'never')
        this.loss(`${id} never beat and is called ${status}`);
    }
    for (const id of promised.keys()) if (!seen.has(id)) this.loss(`${id} is lost`);
  }
}

/** One connector, as its clients were told. */
export interface Told {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** Of the last heartbeat that was acknowledged; empty before. Times in ISO 8601 sort as text. */
  lastBeat: string;
}

/** What the service answers of a connector in a list. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly last_heartbeat_at: string | null;
}

/** Everything that the clients were told, to be held against what the store holds. */
export class Ledger {
  readonly connectors = new Map<string, Told>();
  /** Names under which an activation was tried; each may come to be once at most. */
  readonly tried = new Set<string>();
  /** Activation tokens that were handed out and not used. */
  readonly unused: string[] = [];
  readonly used: string[] = [];
  /** What was not as it must be. */
  readonly losses: string[] = [];
  readonly figures: Record<string, number> = {};
  readonly milliseconds: number[] = [];

  count(figure: string, by = 1): void {
    this.figures[figure] = (this.figures[figure] ?? 0) + by;
  }

  loss(what: string): void {
    this.losses.push(what);
  }

  /** What every connector's last heartbeat must at least be by now. */
  promised(): Map<string, string> {
    return new Map([...this.connectors].map(([id, {lastBeat}]) => [id, lastBeat]));
  }

  /**
   * Compares a list with what was promised before it was asked for: nothing lost, nothing double,
   * nothing older than what was acknowledged, nobody called silent who was not.
   *
   * @param aliveSince whoever beat after that must be online
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
      if (!this.tried.has(name)) this.loss(`nobody made ${name}`);
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

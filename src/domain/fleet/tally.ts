import type {Member} from './inventory.js';
import type {FleetFigures} from './rules.js';

const none = {online: 0, offline: 0, stale: 0, never: 0};

function isCounted(status: string | undefined): status is keyof typeof none {
  return status !== undefined && Object.hasOwn(none, status);
}

/** Counts the connectors that are judged, and keeps those that may become findings. */
export class FleetTally {
  /** Connectors that are not online, and all whose last heartbeat was read. */
  readonly suspects: Member[] = [];
  readonly #counts = {...none};
  #silent = 0;
  #oldest: number | undefined;

  add(member: Member): void {
    const {status, lastHeartbeatAt: at} = member;
    if (isCounted(status)) this.#counts[status] += 1;
    if (at === null) this.#silent += 1;
    else if (at !== undefined) this.#oldest = Math.min(this.#oldest ?? at, at);
    if (at !== undefined || status !== 'online') this.suspects.push(member);
  }

  /** @param now the service's clock in milliseconds since the Unix epoch; undefined where it is not known */
  figures(total: number, base: number, now: number | undefined): FleetFigures {
    const oldest =
      this.#oldest === undefined || now === undefined
        ? undefined
        : Math.max(0, (now - this.#oldest) / 1000);
    return {...this.#counts, total, base, oldest, silent: this.#silent};
  }
}

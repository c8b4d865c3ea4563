import type {Socket} from 'node:net';

/**
 * Milliseconds to wait for each address of a host but the last, by round. The first is Node's own, 250: an address that
 * swallows packets costs no more. Over a slow link only a later round reaches the host.
 */
const rounds = [undefined, 1000, 3000];

/** The wait for each address of a host with several, for the connections of one agent or pool. */
export class AddressPatience {
  /** The number of rounds without a connection. */
  round = 0;

  /** The wait, as an option for `connect`. */
  get options(): {autoSelectFamilyAttemptTimeout?: number} {
    const wait = rounds[this.round];
    return wait === undefined ? {} : {autoSelectFamilyAttemptTimeout: wait};
  }

  /** Waits longer in the next round if this socket gives up an address, unless it connects to another one. */
  watch<Connecting extends Socket>(socket: Connecting): Connecting {
    const next = Math.min(this.round + 1, rounds.length - 1);
    socket.once('connectionAttemptTimeout', () => {
      this.round = Math.max(this.round, next);
    });
    return socket.once('connect', () => {
      this.round = 0;
    });
  }
}

import type {Socket} from 'node:net';

/**
 * Milliseconds to wait for each address of a host except the last, by round. Undefined stands for Node's default, 250
 * or 500 by version: an address that drops packets costs no more. A slow link needs the longer waits of later rounds.
 */
const rounds = [undefined, 1000, 3000];

/** The time to wait for each address of a host with several; one agent or pool shares it among its connections. */
export class AddressPatience {
  /** The index in `rounds`; 0 again after each connection. */
  round = 0;

  /** The wait of the current round, as an option for `connect`. */
  get options(): {autoSelectFamilyAttemptTimeout?: number} {
    const wait = rounds[this.round];
    return wait === undefined ? {} : {autoSelectFamilyAttemptTimeout: wait};
  }

  /** Makes the next round wait longer if this socket gives up an address and then connects to no other one. */
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

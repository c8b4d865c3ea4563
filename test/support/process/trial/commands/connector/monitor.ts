import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {Args} from '@oclif/core';
import {ServiceCommand} from '../../../../../../src/cli/command/service-command.js';

/** Work whose author passes on the signal, and handles no abort. */
const works = {
  request: async (signal, list) => list(signal),
  timer: (signal) => sleep(60_000, undefined, {signal}),
  reason: async (signal) => {
    await once(signal, 'abort');
    signal.throwIfAborted();
  },
  failure: async (signal) => {
    await once(signal, 'abort');
    throw new Error('The disk is broken.');
  },
} satisfies Record<
  string,
  (signal: AbortSignal, list: (signal: AbortSignal) => Promise<unknown>) => Promise<unknown>
>;

/** A stream of somebody else, with the row of `connector monitor`. */
export default class Trial extends ServiceCommand<undefined> {
  static override args = {work: Args.string({required: true})};

  async run(): Promise<undefined> {
    const {args} = await this.parse(Trial);
    const {client} = await this.client();
    // A signal alone keeps no process alive.
    setInterval(() => undefined, 1000);
    await this.io.line('It works.');
    await works[args.work as keyof typeof works](this.io.stop, (signal) =>
      client.listConnectors({signal}).all(),
    );
    return undefined;
  }
}

import {readSettings} from '../client/settings.js';
import type * as Suite from '../conformance/suite.js';
import {hasVirtualClock} from '../contract/headers.js';
import {type SandboxRoute, type SandboxStatus, sandboxRoutes} from '../contract/sandbox.js';
import {AppError} from '../errors.js';
import {durationFlag} from '../flags.js';
import type {Io} from '../terminal/io.js';
import {callSandbox} from './client.js';
import {controlTokenFlags, readControlToken} from './token.js';

export const virtualTimeFlags = {
  ...controlTokenFlags,
  patience: durationFlag({
    description:
      'maximum time to wait for a token to expire, and for a status to age; a virtual clock is advanced instead',
  }),
};

/** The suite for any service: where the clock is virtual, checks advance it instead of waiting. */
export async function withVirtualTime(
  suite: typeof Suite,
  flags: Parameters<typeof readControlToken>[0],
  io: Io,
): Promise<typeof Suite> {
  const token = await readControlToken(flags, io);
  let isVirtual = false;
  return {
    ...suite,
    async reach(session) {
      const reached = await suite.reach(session);
      const responses = session.exchanges.flatMap(({response}) => response ?? []);
      isVirtual = responses.some(({headers}) => hasVirtualClock(headers));
      if (reached.kind !== 'reached' || !isVirtual) return reached;
      io.note('The clock of this service is virtual: checks advance it instead of waiting.');
      const {base, timeout} = readSettings(session.options.client);
      const timeFrom = async (route: SandboxRoute, body?: object) => {
        try {
          const call = {route, body, token, timeout};
          return Date.parse((await callSandbox<SandboxStatus>(base, call)).now);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          // Any service can claim to have a virtual clock.
          throw new suite.Inconclusive(`it says that its clock is virtual, but: ${error.message}`);
        }
      };
      session.time = {
        now: () => timeFrom(sandboxRoutes.status),
        canPass: () => true,
        letPass: (time) =>
          timeFrom(sandboxRoutes.advance, {seconds: Math.max(1, Math.ceil(time / 1000))}),
      };
      return reached;
    },
    leavesConnectors: (session) => !isVirtual && suite.leavesConnectors(session),
  };
}

import {readSettings} from '../client/settings.js';
import type * as Suite from '../conformance/suite.js';
import {hasVirtualClock} from '../contract/headers.js';
import {type SandboxRoute, type SandboxStatus, sandboxRoutes} from '../contract/sandbox.js';
import type {Io} from '../terminal/io.js';
import {callSandbox, readControlToken} from './client.js';

/** Creates a function that gives a session, after its first requests, the virtual time of its service, if it has one. */
export async function virtualTime(
  flags: Parameters<typeof readControlToken>[0],
  io: Io,
): Promise<(session: Suite.Session) => void> {
  const token = await readControlToken(flags, io);
  return (session) => {
    const responses = session.exchanges.flatMap(({response}) => response ?? []);
    if (!responses.some(({headers}) => hasVirtualClock(headers))) return;
    io.note('The clock of this service is virtual: checks advance it instead of waiting.');
    const {base, timeout} = readSettings(session.options.client);
    const timeFrom = async (route: SandboxRoute, body?: object) => {
      const call = {route, body, token, timeout};
      return Date.parse((await callSandbox<SandboxStatus>(base, call)).now);
    };
    session.time = {
      isVirtual: true,
      now: () => timeFrom(sandboxRoutes.status),
      canPass: () => true,
      letPass: (time) =>
        timeFrom(sandboxRoutes.advance, {seconds: Math.max(1, Math.ceil(time / 1000))}),
    };
  };
}

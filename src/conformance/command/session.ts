import type {Interfaces} from '@oclif/core';
import {Flags} from '@oclif/core';
import {proxyFor} from '../../client/proxy.js';
import {readSettings} from '../../client/settings.js';
import type {ClientOptions} from '../../client/types.js';
import {AppError} from '../../errors.js';
import {durationFlag, integerFlag, type VariableWithoutFlag} from '../../flags.js';
import {readSecret} from '../../service/secret-input.js';
import type {Clock} from '../../system/clock.js';
import {escapeControl} from '../../terminal/escape.js';
import type {Io} from '../../terminal/io.js';
import type * as Suite from '../suite.js';

export const sessionFlags = {
  'max-connectors': integerFlag({
    default: 5,
    description: 'maximum number of connectors that the run may create',
    max: 1000,
    min: 1,
  }),
  patience: durationFlag({
    description:
      'maximum time to wait for a token to expire, and for a status to age; a virtual clock is advanced instead',
  }),
  'revoked-api-key-file': Flags.string({
    description: 'file that holds a revoked API key, to check that it is refused',
    env: 'CONNECTORCTL_REVOKED_API_KEY_FILE',
    helpValue: 'PATH',
  }),
  'second-api-key-file': Flags.string({
    description: 'file that holds an API key of another organization, to check isolation',
    env: 'CONNECTORCTL_SECOND_API_KEY_FILE',
    helpValue: 'PATH',
  }),
  'writes-to': Flags.string({
    description: 'create tokens and connectors at this host, which must be that of the base URL',
    helpValue: 'HOST',
  }),
};
type SessionFlags = Interfaces.InferredFlags<typeof sessionFlags>;

/** What a session needs from the command. */
export interface SessionContext {
  readonly io: Io;
  readonly signal: AbortSignal;
  /** For the waits between requests. */
  readonly clock: Clock;
  /** Called once the service has responded. */
  readonly adopt: (session: Suite.Session) => void;
}

/**
 * Opens a session with the service of the settings, and reports what it will create there.
 *
 * @throws AppError `usage` for a wrong host or key, and as `reach`
 */
export async function openSession(
  suite: Omit<typeof Suite, 'checks'>,
  client: ClientOptions,
  flags: SessionFlags,
  {signal, clock, io, adopt}: SessionContext,
): Promise<Suite.Session> {
  const {base} = readSettings(client);
  const {'writes-to': writesTo, 'max-connectors': most, patience = 0} = flags;
  const hosts = [base.host, base.hostname, base.hostname.replace(/[[\]]/g, '')];
  if (writesTo !== undefined && !hosts.includes(writesTo.toLowerCase())) {
    const message = `--writes-to ${writesTo} is not the host of the base URL, ${base.host}.`;
    throw new AppError('usage', message, {
      hint: 'Pass the host that the run may write to, and check the base URL and the profile.',
    });
  }
  proxyFor(base);
  const secondKey = await readKey(flags, 'second', io);
  if (secondKey !== undefined && secondKey === client.apiKey) {
    throw new AppError('usage', 'The second API key is the same as the first.', {
      hint: 'Pass a key of another organization with --second-api-key-file, or omit it.',
    });
  }
  const session = new suite.Session({
    client,
    signal,
    secondKey,
    revokedKey: await readKey(flags, 'revoked', io),
    mayWrite: writesTo !== undefined,
    maxConnectors: most,
    patience,
    async wait(milliseconds) {
      await clock.wait(milliseconds, signal);
      signal.throwIfAborted();
    },
  });
  await suite.reach(session);
  adopt(session);
  if (writesTo !== undefined) {
    const names = `conformance-${session.run}-1 to conformance-${session.run}-${most}`;
    const notice = `This run creates up to ${most} connectors at ${base.host}, named ${names}, and about ten tokens. The interface has no operation that removes connectors. A service that accepts what it should refuse gets more of them.`;
    io.note(escapeControl(notice));
  }
  return session;
}

/** The command that removes the connectors of a run from the reference service; undefined if it leaves none there. */
export function removalOf(session: Suite.Session): string | undefined {
  if (!session.leavesConnectors()) return undefined;
  return `on the machine of the service: connectorctl store remove --name 'conformance-${session.run}-*' --yes`;
}

/** Reads the second or the revoked key: from its file, else from its variable. */
function readKey(
  flags: SessionFlags,
  which: 'second' | 'revoked',
  io: Io,
): Promise<string | undefined> {
  const flag = `${which}-api-key-file` as const;
  const name = which.toUpperCase() as Uppercase<typeof which>;
  const variable: VariableWithoutFlag = `CONNECTORCTL_${name}_API_KEY`;
  return readSecret(flags[flag], variable, {what: `${which} API key`, flag: `--${flag}`, io});
}

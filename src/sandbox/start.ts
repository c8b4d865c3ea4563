import type {Interfaces} from '@oclif/core';
import {limits} from '../contract/limits.js';
import {AppError} from '../errors.js';
import type {Sandbox} from '../server/sandbox/open.js';
import {readSecretFile} from '../service/secret-input.js';
import {exactTime} from '../terminal/time.js';
import type {sandboxFlags} from './flags.js';

/** The flags of `serve` that affect a sandbox. */
interface SandboxFlagValues extends Partial<Interfaces.InferredFlags<typeof sandboxFlags>> {
  readonly host: string;
  readonly store?: string | undefined;
  readonly 'heartbeat-interval'?: number | undefined;
  readonly 'trust-proxy'?: string | undefined;
}

/** A sandbox, and the message that `serve` prints about it. */
type ServedSandbox = Sandbox & {readonly notice: string};

/**
 * Opens the sandbox that the flags ask for; undefined without `--sandbox`.
 *
 * @throws AppError of kind `usage` if the flags cannot be combined
 */
export async function startSandbox(flags: SandboxFlagValues): Promise<ServedSandbox | undefined> {
  if (!flags.sandbox) return undefined;
  refuseConflicts(flags);
  const [{openSandbox}, {isLoopbackHost, readHosts}] = await Promise.all([
    import('../server/sandbox/open.js'),
    import('../server/net/addresses.js'),
  ]);
  const {clock, rate, seed, fault: faults} = flags;
  const {'control-host': hosts, 'control-token-file': tokenFile} = flags;
  const hasControl = hosts !== undefined && tokenFile !== undefined;
  if (!hasControl && !isLoopbackHost(flags.host)) {
    throw new AppError(
      'usage',
      `A sandbox cannot listen on ${flags.host} without a control token.`,
      {
        hint: 'Anyone who can reach it could control it: leave out --host (or unset CONNECTORCTL_HOST), or add --control-host NAME and --control-token-file PATH.',
      },
    );
  }
  const control = hasControl
    ? {hosts: readHosts(hosts), token: await readControlToken(tokenFile)}
    : undefined;
  const sandbox = openSandbox({clock, rate, seed, faults, control});
  const time = exactTime(new Date(sandbox.clock.now()));
  const passing =
    sandbox.clock.mode === 'frozen'
      ? `frozen at ${time}`
      : `running from ${time}${perSecond(rate)}`;
  const controlled = hasControl ? ` Its control token is that of ${tokenFile}.` : '';
  const notice = `Serving a sandbox with the seed ${sandbox.seed}: its clock is ${passing}. Its records are in memory alone.${controlled}`;
  return {...sandbox, notice};
}

/** Reads the control token. @throws AppError `usage` when it can be guessed, or a header cannot hold it */
async function readControlToken(path: string): Promise<string> {
  const token = await readSecretFile(path, {what: 'control token', flag: '--control-token-file'});
  if (/^[\x21-\x7e]{16,}$/.test(token)) return token;
  throw new AppError('usage', 'A control token has 16 visible ASCII characters or more.', {
    hint: 'Make one with: openssl rand -hex 32',
  });
}

function perSecond(rate = 1): string {
  return rate === 1 ? '' : `, ${rate} s per second`;
}

function refuseConflicts(flags: SandboxFlagValues): void {
  if (flags.store !== undefined) {
    throw new AppError('usage', 'A sandbox has its own store, so --store is not allowed.', {
      hint: 'Leave out --store (or unset CONNECTORCTL_STORE), or leave out --sandbox.',
    });
  }
  if (flags['trust-proxy'] !== undefined) {
    const message = 'A sandbox cannot be served through a proxy, so --trust-proxy is not allowed.';
    throw new AppError('usage', message, {
      hint: 'Leave out --trust-proxy (or unset CONNECTORCTL_TRUST_PROXY).',
    });
  }
  const {clock, rate} = flags;
  if (clock === 'frozen' && rate !== undefined) {
    throw new AppError('usage', '--rate has no effect on a frozen clock.', {
      hint: 'Choose --clock running, or leave out --rate.',
    });
  }
  const interval = (flags['heartbeat-interval'] ?? limits.heartbeatInterval.default * 1000) / 1000;
  if (rate !== undefined && interval / rate < limits.heartbeatInterval.min) {
    const message = `With --rate ${rate}, connectors would have to send a heartbeat every ${Number((interval / rate).toPrecision(2))} s.`;
    throw new AppError('usage', message, {
      hint: `The minimum is one second: set --heartbeat-interval to ${rate}s or more, or lower --rate.`,
    });
  }
}

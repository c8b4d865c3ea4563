import {Flags, type Interfaces} from '@oclif/core';
import {AppError} from '../errors.js';
import {integerFlag} from '../flags.js';
import type {Sandbox} from '../server/sandbox/sandbox.js';
import type {StartOptions} from '../server/sandbox/start.js';
import {readSecretFile} from '../service/secret-input.js';
import type {Io} from '../terminal/io.js';
import {exactTime} from '../terminal/time.js';

/** The sandbox flags of `serve`. None has an environment variable, so that no leftover one can start a sandbox. */
export const sandboxFlags = {
  sandbox: Flags.boolean({
    description:
      'serve a sandbox: a virtual clock, faults, and records only in memory; see sandbox --help',
    helpGroup: 'SANDBOX',
  }),
  clock: Flags.option({
    dependsOn: ['sandbox'],
    description: 'whether time passes (default: frozen with --seed and no --rate, else running)',
    helpGroup: 'SANDBOX',
    helpValue: 'frozen|running',
    options: ['frozen', 'running'] as const,
  })(),
  'control-token-file': Flags.string({
    dependsOn: ['sandbox'],
    description: 'file that holds the control token; then --host may be any address',
    helpGroup: 'SANDBOX',
    helpValue: 'PATH',
  }),
  fault: Flags.string({
    dependsOn: ['sandbox'],
    description: 'fault that is active from the start, such as heartbeat:503@10%; may be repeated',
    helpGroup: 'SANDBOX',
    helpValue: 'SPEC',
    multiple: true,
  }),
  rate: integerFlag({
    dependsOn: ['sandbox'],
    description: 'virtual seconds per real second',
    helpGroup: 'SANDBOX',
    max: 86_400,
    min: 1,
  }),
  seed: integerFlag({
    dependsOn: ['sandbox'],
    description: 'seed of all randomness, to repeat a run (default: random)',
    helpGroup: 'SANDBOX',
    min: 0,
  }),
};

/** The flags of `serve` that affect a sandbox. */
interface SandboxFlagValues extends Partial<Interfaces.InferredFlags<typeof sandboxFlags>> {
  readonly host: string;
  readonly store?: string | undefined;
  readonly 'trust-proxy'?: string | undefined;
}

/**
 * The options of the sandbox that the flags ask for.
 *
 * @throws AppError `usage` if the flags cannot be combined, or the control token cannot be used
 */
export async function sandboxOptions(flags: SandboxFlagValues, io: Io): Promise<StartOptions> {
  refuseConflicts(flags);
  const {isLoopbackHost} = await import('../server/net/addresses.js');
  const {clock, rate, seed, fault: faults, 'control-token-file': tokenFile} = flags;
  if (tokenFile === undefined && !isLoopbackHost(flags.host)) {
    const message = `A sandbox cannot listen on ${flags.host} without a control token.`;
    throw new AppError('usage', message, {
      hint: 'Anyone who can reach it could control it: leave out --host (or unset CONNECTORCTL_HOST), or add --control-token-file PATH.',
    });
  }
  const controlToken = tokenFile && (await readControlToken(tokenFile, io));
  return {clock, rate, seed, faults, controlToken};
}

/** The notice of `serve` about its sandbox. */
export function servingNotice(
  {clock, seed}: Sandbox,
  {'control-token-file': tokenFile}: SandboxFlagValues,
): string {
  const time = exactTime(new Date(clock.now()));
  const rate = clock.rate === 1 ? '' : `, ${clock.rate} s per second`;
  const passing = clock.mode === 'frozen' ? `frozen at ${time}` : `running from ${time}${rate}`;
  const controlled = tokenFile === undefined ? '' : ` Its control token is in ${tokenFile}.`;
  return `Serving a sandbox with the seed ${seed}: its clock is ${passing}. Its records are only in memory.${controlled}`;
}

/** Reads the control token. @throws AppError `usage` for one that is too short or not visible ASCII */
async function readControlToken(path: string, io: Io): Promise<string> {
  const names = {what: 'control token', flag: '--control-token-file'};
  const token = await readSecretFile(path, {...names, io});
  if (/^[\x21-\x7e]{16,}$/.test(token)) return token;
  throw new AppError('usage', 'A control token has 16 visible ASCII characters or more.', {
    hint: 'Make one with: openssl rand -hex 32',
  });
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
}

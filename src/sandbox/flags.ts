import {Flags} from '@oclif/core';
import {integerFlag, textFlag} from '../flags.js';

/** The sandbox flags of `serve`. None has a variable, so that no leftover setting can start a sandbox. */
export const sandboxFlags = {
  sandbox: Flags.boolean({
    description:
      'serve a sandbox: a virtual clock, faults, and records in memory alone; see sandbox --help',
    helpGroup: 'SANDBOX',
  }),
  clock: Flags.option({
    dependsOn: ['sandbox'],
    description: 'whether time passes (default: frozen with --seed and no --rate, else running)',
    helpGroup: 'SANDBOX',
    helpValue: 'frozen|running',
    options: ['frozen', 'running'] as const,
  })(),
  'control-token-file': textFlag({
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

import {spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';

/** The number of runs of everything. */
export const rounds = Number(process.env['BENCH_ROUNDS'] ?? 25);

/** A command line that is timed. */
export interface Subject {
  readonly command: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Removed before each run: compiled code, to measure a first run. */
  readonly without?: string;
}

/** Runs a process to its end. Returns milliseconds. @throws when it fails */
function run({command, env, without}: Subject): number {
  if (without !== undefined) rmSync(without, {recursive: true, force: true});
  const [program = '', ...words] = command;
  const startedAt = performance.now();
  const {status, error, stderr} = spawnSync(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const took = performance.now() - startedAt;
  if (status !== 0) throw error ?? new Error(`${command.join(' ')}: ${stderr}`);
  return took;
}

/**
 * Runs all of them in turn, so that other work on the machine affects all equally. Returns the
 * milliseconds of each run, in the order of the rounds.
 */
export function alternate(subjects: ReadonlyMap<string, Subject>): Map<string, number[]> {
  // Two runs that do not count: the first saves compiled code, the second uses it.
  for (const subject of subjects.values()) for (let time = 0; time < 2; time += 1) run(subject);
  const times = new Map([...subjects.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, subject] of subjects) times.get(name)?.push(run(subject));
  }
  return times;
}

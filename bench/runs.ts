/** The number of rounds of measurements that alternate. @param usual without `BENCH_ROUNDS` */
export const roundsOr = (usual: number): number => Number(process.env['BENCH_ROUNDS']) || usual;

/**
 * Takes measurements in turn, so that other work on the machine affects all equally.
 *
 * @param warmUp rounds that do not count, before the others
 * @returns the values of each measurement, in the order of the rounds
 */
export async function alternate<Name extends string, Value>(
  measurements: Readonly<Record<Name, () => Value | Promise<Value>>>,
  rounds: number,
  warmUp = 0,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(measurements) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Value[]
  >;
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const name of names) {
      const value = await measurements[name]();
      if (round >= 0) values[name].push(value);
    }
  }
  return values;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const half = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return (low + high) / 2;
}

/** The median of the ratios of two measurements, round by round. */
export const medianRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));

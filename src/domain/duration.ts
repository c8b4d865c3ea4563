import ms, {type StringValue} from 'ms';

/**
 * Reads a duration such as `10s`, `1.5h` or `1m30s`, and rounds it to milliseconds, as times are stored. Undefined for
 * any other text, for a duration that rounds to zero, and for a bare number, which has no unit.
 */
export function readDuration(text: string): number | undefined {
  const parts = text.match(/[\d.]+\s*[a-z]+/gi) ?? [];
  const isWhole = parts.join('') === text.replace(/(?<=[a-z])\s+(?=[\d.])/gi, '');
  // The library returns undefined for an unknown unit.
  const sum = parts.reduce((total, part) => total + (ms(part as StringValue) ?? Number.NaN), 0);
  const rounded = Math.round(sum);
  return isWhole && Number.isFinite(rounded) && rounded > 0 ? rounded : undefined;
}

/** Converts milliseconds to whole seconds, the unit of the interface. */
export function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds / 1000);
}

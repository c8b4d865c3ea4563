import {noColours, type Palette} from '../../render/palette.js';
import type {LogTerminal} from '../../server/observability/logger.js';
import {writeError} from '../terminal/streams.js';

/**
 * Where the log of a store or a service is readable lines; undefined when stderr is no terminal, where it
 * is JSON.
 *
 * @param ready see `LogTerminal`
 */
export function logTerminal(
  palette: Palette = noColours,
  ready?: Promise<unknown>,
): LogTerminal | undefined {
  if (process.stderr.isTTY !== true) return undefined;
  return {palette, write: (text) => writeError(text.trimEnd()), ...(ready && {ready})};
}

import type {LogTerminal} from '../server/observability/logger.js';
import {noColors, type Palette} from '../terminal/palette.js';
import {writeError} from '../terminal/streams.js';

/**
 * The terminal for a log in readable lines; undefined when stderr is not a terminal, and the log is JSON.
 *
 * @param ready see `LogTerminal`
 */
export function logTerminal(
  palette: Palette = noColors,
  ready?: Promise<unknown>,
): LogTerminal | undefined {
  if (process.stderr.isTTY !== true) return undefined;
  return {palette, write: (text) => writeError(text.trimEnd()), ...(ready && {ready})};
}

import {type ColorLevel, paletteFor} from '../terminal/palette.js';
import {writeError} from '../terminal/streams.js';
import type {LogLevel} from './flags.js';

/** The log of the service. Nobody keeps what a terminal shows, so there the level decides on audit records too. */
export async function openLog(level: LogLevel, colors: ColorLevel) {
  const {createLogger} = await import('../server/observability/logger.js');
  if (process.stderr.isTTY !== true) return createLogger(level, {keepsAudit: true});
  const write = (text: string) => writeError(text.trimEnd());
  return createLogger(level, {palette: await paletteFor(colors), write});
}

import {logTerminal} from '../admin/log-terminal.js';
import {type ColorLevel, paletteFor} from '../terminal/palette.js';
import type {LogLevel} from './flags.js';

/** The log of the service, and a function that releases the lines that a terminal holds back during the start. */
export async function openLog(level: LogLevel, colors: ColorLevel) {
  const {createLogger} = await import('../server/observability/logger.js');
  let release = () => {};
  const ready = new Promise<void>((resolve) => {
    release = resolve;
  });
  const terminal = logTerminal(await paletteFor(colors), ready);
  // Nobody keeps what a terminal shows, so there the level decides on audit records too.
  const log = createLogger(level, terminal, terminal === undefined);
  return {log, release};
}

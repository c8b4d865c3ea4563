import {type Screen, usualSize} from '../../terminal/io.js';
import {noColors, sixteenColors} from '../../terminal/palette.js';

/**
 * The screen of stdout or stderr. `--no-color` decides on color, else NO_COLOR (no-color.org), else FORCE_COLOR, else
 * whether the output is a terminal with colors; an empty variable is ignored.
 *
 * @param allowsColor whether `--no-color` is absent
 */
export function screenOf(
  name: 'stderr' | 'stdout',
  isTerminal: boolean,
  allowsColor: boolean,
): Screen {
  const {NO_COLOR, FORCE_COLOR, TERM} = process.env;
  const isForced = FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  const wantsColor = FORCE_COLOR ? isForced : isTerminal && TERM !== 'dumb';
  const hasColor = allowsColor && !NO_COLOR && wantsColor;
  return {
    isTerminal,
    canRedraw: isTerminal && TERM !== 'dumb',
    hasColor,
    // The stream of a pipe is not touched: Node would change the mode of the pipe, which other processes share.
    get width() {
      return isTerminal ? process[name].columns || usualSize.columns : undefined;
    },
    get rows() {
      return (isTerminal && process[name].rows) || usualSize.rows;
    },
    palette: async () => (hasColor ? sixteenColors() : noColors),
  };
}

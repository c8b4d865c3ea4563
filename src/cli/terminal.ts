/** What the command knows of the terminal that it runs in. */

/** Whether a person can be asked: both ends of the dialogue are a terminal, and nothing forbids it. */
export function canPrompt(noInput: boolean): boolean {
  const {CI} = process.env;
  const inCi = CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
  return !noInput && !inCi && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Whether to write colour to a stream: the flag, then NO_COLOR (no-color.org), then FORCE_COLOR,
 * then only on a terminal that has any.
 */
export function wantsColour(stream: NodeJS.WriteStream, noColour: boolean): boolean {
  const {NO_COLOR, FORCE_COLOR, TERM} = process.env;
  if (noColour || (NO_COLOR !== undefined && NO_COLOR !== '')) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** Columns of stdout's terminal; undefined in a pipe or a file, where nothing is cut. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}

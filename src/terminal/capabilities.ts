/** Whether prompts are possible: stdin and stderr are terminals, outside CI, and `--no-input` is absent. */
export function canPrompt(noInput: boolean): boolean {
  return !noInput && !isInCi() && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Whether this runs in continuous integration. */
export function isInCi(): boolean {
  const {CI} = process.env;
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}

/** Whether a variable is true, by the words that the framework accepts for a flag's variable. */
export function isTrue(value: string | undefined): boolean {
  return /^(1|true|y|yes)$/i.test(value ?? '');
}

// Module state, because one command line holds for all output.
let allowsColor = true;

/** Sets whether the command line allows color. */
export function setColor(allowed: boolean): void {
  allowsColor = allowed;
}

/**
 * Whether a stream gets color: the flag decides, then NO_COLOR (no-color.org), then FORCE_COLOR, then whether the stream
 * is a terminal with colors. An empty variable is ignored.
 */
export function hasColor(stream: NodeJS.WriteStream): boolean {
  const {NO_COLOR, FORCE_COLOR, TERM} = process.env;
  if (!allowsColor || NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/** Size of a terminal that reports none, such as a serial line and some containers. */
export const usualSize = {columns: 80, rows: 24} as const;

/** Columns of stdout's terminal; undefined for a pipe or a file, where nothing is cut. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || usualSize.columns : undefined;
}

/** Whether a stream is a terminal on which the cursor can be moved. */
export function canRedraw(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}

/** A home directory that is missing and that not even root can create. */
export const noHome = '/dev/null/home';

/** The streams of this process that a terminal can be behind. */
const streams = [process.stdin, process.stdout, process.stderr];

/**
 * Runs a function in a process that seems to have no terminal, whatever the tests were started from.
 *
 * @param env the whole environment meanwhile
 */
export async function withoutTerminal<Result>(
  env: Readonly<Record<string, string | undefined>>,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = {...process.env};
  const terminals = streams.map((stream) => Object.getOwnPropertyDescriptor(stream, 'isTTY'));
  for (const stream of streams) {
    Object.defineProperty(stream, 'isTTY', {value: undefined, configurable: true, writable: true});
  }
  replaceEnvironment(env);
  try {
    return await run();
  } finally {
    replaceEnvironment(before);
    for (const [at, stream] of streams.entries()) {
      const terminal = terminals[at];
      if (terminal === undefined) delete (stream as {isTTY?: boolean}).isTTY;
      else Object.defineProperty(stream, 'isTTY', terminal);
    }
  }
}

function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) process.env[name] = value;
  }
}

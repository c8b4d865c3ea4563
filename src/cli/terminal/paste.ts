/**
 * Does work during which line breaks that are pasted before a text are left out. Otherwise the first
 * one would end the prompt's input, and the prompt drops what follows it in the same paste. Enter alone
 * stays Enter.
 */
export async function withoutLeadingBreaks<T>(work: () => Promise<T>): Promise<T> {
  const {stdin} = process;
  const emit = stdin.emit;
  stdin.emit = (event: string | symbol, ...values: unknown[]) => {
    const [chunk] = values;
    const isInput = event === 'data' && Buffer.isBuffer(chunk);
    return Reflect.apply(emit, stdin, [event, ...(isInput ? [strip(chunk)] : values)]);
  };
  try {
    return await work();
  } finally {
    stdin.emit = emit;
  }
}

function strip(chunk: Buffer): Buffer {
  const start = chunk.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return start > 0 ? chunk.subarray(start) : chunk;
}

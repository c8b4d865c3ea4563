/**
 * Runs a prompt that ignores line breaks pasted before a text: the first one would end its input, and it
 * drops the rest of the paste. Enter alone still ends the input. It patches stdin instead of passing the
 * prompt another stream, because readline sets raw mode on, pauses and resumes the stream that it gets.
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

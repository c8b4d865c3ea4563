import {once} from 'node:events';

/** Writes to stdout and waits while its reader is slower than we are. */
export async function writeOut(text: string): Promise<void> {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Writes one line of talk to stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * A reader that has read enough (`| head -1`) closes the pipe: that is its right, and no error.
 * Installed once, before anything is written.
 */
export function leaveQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
}

import {noColors} from '../../../src/terminal/escape.js';
import type {Io, Screen} from '../../../src/terminal/io.js';

const screen: Screen = {
  isTerminal: false,
  canRedraw: false,
  hasColor: false,
  width: undefined,
  rows: 24,
  palette: async () => noColors,
};

const never = new AbortController().signal;

/** The io of a run without a terminal, which keeps what is written. */
export function fakeIo(given: Partial<Io> = {}): Io & {
  /** What was written to stdout, as one text, and to stderr, as lines. */
  readonly written: {stdout: string; readonly stderr: string[]};
} {
  const written = {stdout: '', stderr: [] as string[]};
  const result = async (text: string) => {
    written.stdout += text;
  };
  const note = (text: string) => void written.stderr.push(text);
  const noteOnce = (text: string) => void (written.stderr.includes(text) || note(text));
  return {
    ...{written, stdout: screen, stderr: screen, json: false, hasTerminal: false, isQuiet: false},
    canPrompt: false,
    ...{exitCode: undefined, consequence: undefined, stop: never},
    parts: (texts) => result([...texts].join('')),
    line: (text) => result(`${text}\n`),
    ...{result, note, noteOnce, error: note},
    log: {write: note, hasRoom: () => true},
    progress: () => () => undefined,
    interruptible: (work) => work(never),
    takeSignals() {
      throw new Error('This run takes no signals.');
    },
    ...given,
  };
}

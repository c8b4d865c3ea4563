import {closeSync, constants, openSync, write} from 'node:fs';
import type {Socket} from 'node:net';
import {spawn} from '@lydell/node-pty';
import xterm from '@xterm/headless';
import {atEndOfTest} from './at-end-of-test.js';
import {inherited, program} from './child.js';
import {noHome} from './environment.js';

/** A command line in its own terminal, used like a person would. */
export interface TerminalSession {
  /** Types; `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D. */
  type(text: string): void;
  /** The lines on the screen, without trailing spaces and without empty lines at the end. */
  screen(): readonly string[];
  /** Everything written to the terminal so far, including escape sequences. */
  written(): string;
  /** Resolves once the screen matches; rejects if the command ends first. */
  until(pattern: RegExp): Promise<void>;
  /** The exit code, or the number of the signal that killed it, once all output is on the screen. */
  readonly ended: Promise<{readonly code: number; readonly signal: number | undefined}>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the terminal. */
  hangUp(): void;
  /** Changes the size of the window. */
  resize(columns: number, rows: number): void;
}

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** The whole environment beside PATH, TMPDIR, HOME and TERM. */
  readonly env?: Readonly<Record<string, string>>;
  /** A file to redirect stdout to. */
  readonly stdout?: string;
  /** A shell command that first prepares the terminal. */
  readonly prepare?: string;
}

/** A command of the screen that does nothing. */
const endMark = '\x1b]end\x07';

/** Starts a command line in a terminal, which is closed with the test that opens it. */
export function openTerminal(
  argv: readonly string[],
  options: TerminalOptions = {},
): TerminalSession {
  return openProgram([...program, ...argv], options);
}

/** Starts any program in a terminal, for instance a shell. */
export function openProgram(
  command: readonly string[],
  {columns = 80, rows = 24, env = {}, stdout, prepare = ':'}: TerminalOptions = {},
): TerminalSession {
  const screen = new xterm.Terminal({cols: columns, rows, allowProposedApi: true});
  const redirected = stdout === undefined ? '' : ' > "$STDOUT"';
  const {TERM = 'xterm-256color', ...rest} = env;
  const child = spawn('/bin/sh', ['-c', `${prepare}; exec "$@"${redirected}`, 'sh', ...command], {
    cols: columns,
    rows,
    name: TERM,
    env: {
      ...inherited,
      HOME: noHome,
      ...(stdout !== undefined && {STDOUT: stdout}),
      ...rest,
    },
  });
  // libuv takes the rest of a terminal that no program has open for its end, and the library closes it 200 ms after the
  // end of its program: on a busy machine before all is read. So this process has it open too, and once the program has
  // ended, for which the library adds a listener, writes a mark behind the last output. What stands before it is read.
  const {_socket: socket, _pty: path} = child as unknown as {_socket: Socket; _pty: string};
  const destroy = socket.destroy.bind(socket);
  let terminal: number | undefined = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const release = () => {
    if (terminal !== undefined) closeSync(terminal);
    terminal = undefined;
    socket.destroy = destroy;
  };
  socket.on('newListener', (event) => {
    if (event !== 'close' || terminal === undefined) return;
    socket.destroy = () => socket;
    write(terminal, endMark, () => undefined);
  });
  let written = '';
  let over = false;
  let changed = () => {};
  child.onData((text) => {
    written += text;
    if (written.includes(endMark, written.length - text.length - endMark.length)) {
      written = written.replace(endMark, '');
      release();
    }
    screen.write(text, () => changed());
  });
  // Programs wait for the replies of their terminal.
  screen.onData((reply) => child.write(reply));
  const ended = new Promise<{code: number; signal: number | undefined}>((resolve) => {
    child.onExit(({exitCode, signal}) => {
      screen.write('', () => {
        over = true;
        changed();
        resolve({code: exitCode, signal: signal || undefined});
      });
    });
  });
  atEndOfTest(() => {
    if (!over) child.kill('SIGKILL');
    return ended;
  });
  const lines = () => {
    const buffer = screen.buffer.active;
    const all = Array.from({length: buffer.length}, (_, at) =>
      (buffer.getLine(at)?.translateToString(true, 0, screen.cols) ?? '').trimEnd(),
    );
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
  };
  return {
    type: (text) => child.write(text),
    screen: lines,
    written: () => written,
    async until(pattern) {
      while (!pattern.test(lines().join('\n'))) {
        if (over) throw new Error(`ended before ${pattern}:\n${lines().join('\n')}`);
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
    ended,
    kill: (signal) => child.kill(signal),
    hangUp() {
      release();
      (child as unknown as {destroy(): void}).destroy();
    },
    resize(width, height) {
      screen.resize(width, height);
      child.resize(width, height);
    },
  };
}

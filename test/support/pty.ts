import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {bin} from './child.js';

/** Node has no pseudo terminals; Python has. Where there is no Python, tests on a terminal are not defined. */
export const hasPty = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** Runs a command on a pseudo terminal: what it writes goes to stdout, orders come as lines of JSON. */
const program = `
import fcntl, json, os, pty, signal, struct, sys, termios, threading
columns, rows = int(sys.argv[1]), int(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
def resize(columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
resize(columns, rows)
def obey():
    for line in sys.stdin:
        order = json.loads(line)
        if 'type' in order: os.write(terminal, order['type'].encode())
        if 'resize' in order: resize(*order['resize'])
        if 'resume' in order:
            os.waitpid(child, os.WUNTRACED)
            os.kill(child, signal.SIGCONT)
        if 'signal' in order: os.kill(child, getattr(signal, order['signal']))
threading.Thread(target=obey, daemon=True).start()
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data: break
    os.write(1, data)
_, status = os.waitpid(child, 0)
sys.stdout.flush()
os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`;

/** A command line on a terminal of its own. */
export interface PtyChild {
  /** Everything that was written so far. */
  screen(): string;
  /** Resolves once what was written since the last call matches; fails when it ends without. */
  until(pattern: RegExp): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  signal(name: NodeJS.Signals): void;
  /** Lets it go on once it has stopped itself. */
  resume(): void;
  /** The exit code; 128 and the signal's number when one ended it. */
  ended(): Promise<number>;
}

const running = new Set<{kill(): Promise<void>}>();

/** Starts the built command line on a terminal. */
export function ptyChild(
  argv: readonly string[],
  {
    columns = 80,
    rows = 24,
    env = {},
    home = '/nonexistent',
  }: {columns?: number; rows?: number; env?: Readonly<Record<string, string>>; home?: string} = {},
): PtyChild {
  const command = [process.execPath, bin, ...argv];
  const child = spawn('python3', ['-c', program, `${columns}`, `${rows}`, ...command], {
    env: {PATH: process.env['PATH'], HOME: home, TERM: 'xterm', ...env},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let written = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    child.emit('wrote');
  });
  const ended = once(child, 'close').then(([code]) => {
    running.delete(handle);
    return Number(code);
  });
  const handle = {
    async kill() {
      order({signal: 'SIGKILL'});
      await ended;
    },
  };
  running.add(handle);
  child.stdin.on('error', () => undefined);
  const order = (what: object) => child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    screen: () => written,
    async until(pattern) {
      let match = pattern.exec(written.slice(seen));
      while (match === null) {
        const over = ended.then((code) => {
          throw new Error(`ended with ${code} before ${pattern}: ${JSON.stringify(written)}`);
        });
        await Promise.race([once(child, 'wrote'), over]);
        match = pattern.exec(written.slice(seen));
      }
      seen += match.index + match[0].length;
    },
    type: (text) => order({type: text}),
    resize: (width, height) => order({resize: [width, height]}),
    signal: (name) => order({signal: name}),
    resume: () => order({resume: true}),
    ended: () => ended,
  };
}

/** Ends what a test has left running. */
export async function killPtyChildren(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill()));
}

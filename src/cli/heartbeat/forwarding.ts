import {constants} from 'node:os';
import {type JobState, readJobState} from '../terminal/job-control.js';
import {isStopSignal, takeSignals} from '../terminal/signals.js';

/** What a signal to this process means for the command beside it. */
type Route =
  /** It is for the command. */
  | 'always'
  /** A terminal sends it to all processes of its foreground group, also to the command. */
  | 'terminal'
  /** So does whoever reports the loss of the terminal, except to the leader of a session. */
  | 'hang-up'
  /** Ctrl-Z: as `terminal`, and this process stops too. */
  | 'stop'
  /** It is about this process, cannot be handled, has another name here, or Node needs it. */
  | 'never';

const routes = {
  SIGABRT: 'never',
  SIGALRM: 'always',
  SIGBREAK: 'never',
  SIGBUS: 'never',
  SIGCHLD: 'never',
  SIGCONT: 'terminal',
  SIGFPE: 'never',
  SIGHUP: 'hang-up',
  SIGILL: 'never',
  SIGINFO: 'terminal',
  SIGINT: 'terminal',
  SIGIO: 'always',
  SIGIOT: 'never',
  SIGKILL: 'never',
  SIGLOST: 'always',
  SIGPIPE: 'never',
  SIGPOLL: 'never',
  SIGPROF: 'never',
  SIGPWR: 'always',
  SIGQUIT: 'terminal',
  SIGSEGV: 'never',
  SIGSTKFLT: 'always',
  SIGSTOP: 'never',
  SIGSYS: 'never',
  SIGTERM: 'always',
  SIGTRAP: 'never',
  SIGTSTP: 'stop',
  SIGTTIN: 'never',
  SIGTTOU: 'never',
  SIGUNUSED: 'never',
  SIGURG: 'always',
  SIGUSR1: 'always',
  SIGUSR2: 'always',
  SIGVTALRM: 'always',
  SIGWINCH: 'terminal',
  SIGXCPU: 'always',
  SIGXFSZ: 'never',
} as const satisfies Record<NodeJS.Signals, Route>;

/** The names that this system has, with their routes. */
const known = Object.entries(routes).filter(([name]) => name in constants.signals) as [
  NodeJS.Signals,
  Route,
][];

/** Whether the command does not get a signal from the same sender. */
export function isForwarded(route: Route, before: JobState, now: JobState): boolean {
  if (route === 'never') return false;
  if (route === 'always') return true;
  if (route === 'hang-up') return !before.hasTerminal || now.hasTerminal || now.isLeader;
  return !now.isForeground;
}

/** Who gets the signals that arrive at this process. */
interface Receiver {
  /** Sends a signal to the command. */
  readonly forward: (signal: NodeJS.Signals) => void;
  /** Stops this process once the command has stopped. */
  readonly stop: () => void;
}

/**
 * Takes the signals that arrive at this process, for a command beside it. It must be called before the command starts:
 * Node reports signals only between two tasks, so none is lost before `receiver` knows the command.
 */
export function forwardSignals(receiver: Receiver): void {
  let before = readJobState();
  const own = takeSignals();
  for (const [name, route] of known) {
    if (route === 'never') continue;
    const listener = () => {
      const now = readJobState();
      if (isForwarded(route, before, now)) receiver.forward(name);
      if (route === 'stop') receiver.stop();
      before = now;
    };
    if (isStopSignal(name)) own.on(name, listener);
    else process.on(name, listener);
  }
}

/** Milliseconds after which a process counts as long-running. Loading the inspector takes some too. */
const shortRun = 500;

/** Options of Node that open the inspector, or load code that may. */
const wanted = /(?:^|\s)(?:--inspect(?!-port|-publish)|--require|--import|-r\b)/;

/**
 * Keeps SIGUSR1 from opening Node's inspector, through which every local user can run code in this
 * process. A listener replaces what Node does on the signal. A signal that came before the listener has
 * opened it already: a process that goes on running closes it again.
 */
export function disableDebuggerSignal(): void {
  process.on('SIGUSR1', () => undefined);
  if (wanted.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '))) return;
  setTimeout(() => {
    const inspector = require('node:inspector') as typeof import('node:inspector');
    if (inspector.url() !== undefined) inspector.close();
  }, shortRun).unref();
}

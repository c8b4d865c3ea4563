/**
 * Milliseconds after which the inspector is closed: not earlier, because loading it takes time that only a
 * long run has, and again later, because on a busy machine Node can be slow to open it.
 */
const closing = [500, 5_000];

/** Node options that open the inspector on request, or load code that may. */
const wanted = /(?:^|\s)(?:--inspect(?!-port|-publish)|--require|--import|-r\b)/;

/**
 * Keeps SIGUSR1 from opening Node's inspector, through which every local user can run code in this
 * process. A listener replaces Node's own reaction. A signal that arrives before the listener exists
 * opens the inspector, so a long-running process closes it again.
 */
export function disableDebuggerSignal(): void {
  process.on('SIGUSR1', () => undefined);
  if (wanted.test([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '))) return;
  const close = () => {
    const inspector = require('node:inspector') as typeof import('node:inspector');
    if (inspector.url() !== undefined) inspector.close();
  };
  for (const delay of closing) setTimeout(close, delay).unref();
}

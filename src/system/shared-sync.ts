import {promisify} from 'node:util';

const dueCallbacks = promisify(setImmediate);

/**
 * Shares one sync among all callers that wait for one. It starts after their calls, and after the callbacks
 * that are due, which may call too.
 */
export function sharedSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = async () => {
    await running?.catch(() => undefined);
    await dueCallbacks();
    next = undefined;
    running = sync();
    await running.finally(() => {
      running = undefined;
    });
  };
  return () => {
    next ??= start();
    return next;
  };
}

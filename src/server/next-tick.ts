import {createHook} from 'node:async_hooks';

/**
 * Keeps one of Node's tick objects for the life of the process. Each `process.nextTick` makes one, from
 * a literal with computed keys, and each request has about nine. V8 makes that literal fast for the
 * shape that it saw first, and weakly: when a full garbage collection runs while no tick waits, the
 * shape is lost, and V8 calls its runtime for every further tick, for good (Node 20 to 26: 0.1 µs
 * becomes 0.6 µs). The start of the service has such collections. An object that stays keeps the shape.
 */
export function keepNextTickFast(): void {
  if (kept !== undefined) return;
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept = resource;
    },
  }).enable();
  process.nextTick(() => {});
  hook.disable();
}

let kept: object | undefined;

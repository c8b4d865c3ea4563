import {execFileSync} from 'node:child_process';
import {expect} from 'chai';
import {root} from '../support/sources.js';

/**
 * Prints whether a tick object of before some full collections is still there, and whether the tick
 * objects of after them have its shape.
 */
const observe = (prepare: string) => `
import {createHook} from 'node:async_hooks';
import {setImmediate as later} from 'node:timers/promises';
import {runInThisContext} from 'node:vm';
import {keepNextTickFast} from './src/server/next-tick.ts';

/** The last tick object that the action makes. */
function tickOf(action) {
  let tick;
  const init = (_id, type, _trigger, resource) => {
    if (type === 'TickObject') tick = resource;
  };
  const hook = createHook({init}).enable();
  action();
  hook.disable();
  return tick;
}

const ref = new WeakRef(tickOf(() => {${prepare}}));
for (let round = 0; round < 5; round += 1) {
  await later();
  globalThis.gc();
}
const kept = ref.deref();
const haveSameMap = runInThisContext('(one, other) => %HaveSameMap(one, other)');
const next = tickOf(() => process.nextTick(() => {}));
console.log(kept === undefined ? 'collected' : haveSameMap(kept, next) ? 'same' : 'another');
`;

/** In a separate process, where nothing else keeps a tick object. */
function shapeAfter(prepare: string): string {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--import=tsx', '--input-type=module'];
  const words = [...flags, '--eval', observe(prepare)];
  return execFileSync(process.execPath, words, {cwd: root, encoding: 'utf8'}).trim();
}

describe("the shape of Node's tick objects", () => {
  it('is kept through full garbage collections', () => {
    expect(shapeAfter('keepNextTickFast();')).to.equal('same');
  });

  it('is lost without keepNextTickFast()', () => {
    expect(shapeAfter('process.nextTick(() => {});')).to.equal('collected');
  });
});

import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {type Files, nodeFiles} from '../../../src/system/durable-file.js';

/** A file call that the store is about to make. */
export interface FileCall {
  /** `rename`, or `handle.datasync` for a call on an open file. */
  readonly name: string;
  /** The base name of the file; for `rename` the new one. */
  readonly file: string;
  readonly args: readonly unknown[];
  /** The open file, for a call on one. */
  readonly handle: FileHandle | undefined;
}

/** The call that makes a line of the file in use durable: on Linux the write itself, as the file is open with O_DSYNC. */
export const durableCall = process.platform === 'linux' ? 'handle.write' : 'handle.datasync';

/** Returned by `before` to skip a call. */
export const skip = Symbol('skip');

/** File calls that first call `before`, and reject with what it throws. */
export function watchedFiles(before: (call: FileCall) => unknown): Files {
  const watch = <Target extends object>(
    target: Target,
    toCall: (name: string, args: readonly unknown[]) => FileCall,
    wrap: (result: unknown, args: readonly unknown[]) => unknown,
  ): Target =>
    new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: readonly unknown[]) => {
          if ((await before(toCall(String(key), args))) === skip) return undefined;
          return wrap(await value.apply(target, args), args);
        };
      },
    });
  const nameOf = (args: readonly unknown[]): string => path.basename(String(args[0]));
  return watch<Files>(
    nodeFiles,
    (name, args) => {
      const file = path.basename(String(name === 'rename' ? args[1] : args[0]));
      return {name, file, args, handle: undefined};
    },
    (result, args) => {
      if (!isHandle(result)) return result;
      const file = nameOf(args);
      return watch<FileHandle>(
        result,
        (name, handleArgs) => ({name: `handle.${name}`, file, args: handleArgs, handle: result}),
        (inner) => inner,
      );
    },
  );
}

/** File calls without syncs, for tests that open a store hundreds of times. */
export const unsyncedFiles: Files = watchedFiles(({name}) =>
  name === 'handle.sync' || name === 'handle.datasync' ? skip : undefined,
);

function isHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && 'datasync' in value;
}

/** An error like those of the operating system. */
export function systemError(code: string, message = 'made by the test'): Error {
  return Object.assign(new Error(`${code}: ${message}`), {code});
}

import type {FileHandle} from 'node:fs/promises';
import path from 'node:path';
import {type Files, nodeFiles} from '../../../src/store/json-file/files.js';

/** A file call that the store is about to make. */
export interface FileCall {
  /** `rename`, or `handle.datasync` for a call on an open file. */
  readonly name: string;
  /** The name of the file in its directory; of a `rename` or `link` the new one. */
  readonly file: string;
  readonly args: readonly unknown[];
  /** The open file, for a call on one. */
  readonly handle: FileHandle | undefined;
}

/** What a `before` returns to have a call left out. */
export const leaveOut = Symbol('leave out');

/** The operating system's file calls, each told to `before` first; what that throws, the call throws. */
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
          if ((await before(toCall(String(key), args))) === leaveOut) return undefined;
          return wrap(await value.apply(target, args), args);
        };
      },
    });
  const nameOf = (args: readonly unknown[]): string => path.basename(String(args[0]));
  return watch<Files>(
    nodeFiles,
    (name, args) => {
      const file = path.basename(String(name === 'rename' || name === 'link' ? args[1] : args[0]));
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
  name === 'handle.sync' || name === 'handle.datasync' ? leaveOut : undefined,
);

function isHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && 'datasync' in value;
}

/** An error as the operating system gives it. */
export function systemError(code: string, message = 'made by the test'): Error {
  return Object.assign(new Error(`${code}: ${message}`), {code});
}

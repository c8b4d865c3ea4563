import {SourceMap} from 'node:module';
import {basename} from 'node:path';

/** Reads a file of the bundle, which is ASCII. @throws if there is no such file */
export type ReadBundled = (name: string) => string;

/**
 * The stack of an error, with positions in the sources instead of the bundle. This module is loaded
 * only when a stack is read: parsing a source map takes longer than most commands.
 *
 * @param directory of the bundle
 * @param read reads the source map of a file of the bundle
 */
export function sourceStack(
  error: Error,
  frames: readonly NodeJS.CallSite[],
  directory: string,
  read: ReadBundled,
): string {
  const lines = frames.map((frame) => `    at ${describe(frame, directory, read)}`);
  return [header(error), ...lines].join('\n');
}

function header(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function describe(frame: NodeJS.CallSite, directory: string, read: ReadBundled): string {
  const file = frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (!file?.startsWith(directory) || line === null || column === null) return String(frame);
  const entry = mapOf(basename(file), read)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return String(frame);
  const source = entry.originalSource.replace(/^(\.\.\/)+/, '');
  const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  // The bundle keeps the names of methods, but not those of functions and classes.
  const method = frame.getMethodName();
  return `${frame.isAsync() ? 'async ' : ''}${method ? `${method} (${place})` : place}`;
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string, read: ReadBundled): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file, read));
  return maps.get(file);
}

function readMap(file: string, read: ReadBundled): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(read(`${file}.map`)));
  } catch {
    return undefined;
  }
}

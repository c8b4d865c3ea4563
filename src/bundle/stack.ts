import {readFileSync} from 'node:fs';
import {SourceMap} from 'node:module';

/**
 * Writes the stack of an error with places in the source instead of places in the bundle. Loaded when
 * a stack is read: making sense of a source map takes longer than most commands.
 *
 * @param folder of the bundle, with a map beside each file
 */
export function sourceStack(
  error: Error,
  frames: readonly NodeJS.CallSite[],
  folder: string,
): string {
  return [header(error), ...frames.map((frame) => `    at ${describe(frame, folder)}`)].join('\n');
}

function header(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function describe(frame: NodeJS.CallSite, folder: string): string {
  const file = frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (!file?.startsWith(folder) || line === null || column === null) return String(frame);
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return String(frame);
  const source = entry.originalSource.replace(/^(\.\.\/)+/, '');
  const place = `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  // Methods keep their names in the bundle; functions and classes do not.
  const method = frame.getMethodName();
  return `${frame.isAsync() ? 'async ' : ''}${method ? `${method} (${place})` : place}`;
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

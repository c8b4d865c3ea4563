import {readdirSync, readFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {root} from '../sources.js';

/** A service of contrib for systemd. */
export interface Unit {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** The lines `NAME=value`, joined where a backslash continues one. */
  readonly lines: readonly string[];
  /** All values of a setting, in order. */
  readonly values: (setting: string) => readonly string[];
}

/** The service that a file describes. */
function unitAt(path: string): Unit {
  const text = readFileSync(path, 'utf8');
  const lines = text.replaceAll(/\\\n\s*/g, '').match(/^\w+=.*$/gm) ?? [];
  const values = (setting: string) =>
    lines.flatMap((line) => (line.startsWith(`${setting}=`) ? line.slice(setting.length + 1) : []));
  return {name: basename(path), path, text, lines, values};
}

const contrib = join(root, 'contrib');

/** Every service of contrib. */
export const units: readonly Unit[] = readdirSync(contrib, {recursive: true, encoding: 'utf8'})
  .filter((path) => path.endsWith('.service'))
  .sort()
  .map((path) => unitAt(join(contrib, path)));

import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The project's root directory. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A source file and what it imports: modules of the project as paths below `src`, others by name. */
export interface SourceFile {
  /** Path below `src`, for instance `client/http.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly {
    readonly target: string;
    readonly own: boolean;
    readonly dynamic: boolean;
    readonly typeOnly: boolean;
  }[];
}

const importPattern =
  /(?:^|\n)(?:import|export)(\s+type)?\s(?:[^'"();]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(path: string, text: string): SourceFile['imports'] {
  return [...text.matchAll(importPattern)].map(([, typeOnly, fixed, dynamic]) => {
    const name = fixed ?? dynamic ?? '';
    const own = name.startsWith('.');
    const target = own
      ? relative(root, join(root, 'src', dirname(path), name))
          .replace(/^src\//, '')
          .replace(/\.js$/, '.ts')
      : name;
    return {target, own, dynamic: fixed === undefined, typeOnly: typeOnly !== undefined};
  });
}

/** Every TypeScript file below `src`. */
export function sourceFiles(): SourceFile[] {
  const src = join(root, 'src');
  return readdirSync(src, {recursive: true, encoding: 'utf8'})
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8');
      return {path, text, imports: importsOf(path, text)};
    });
}

/** The edges of a graph that are on a cycle or between two. */
export function cyclic(edges: readonly (readonly [string, string])[]): readonly string[] {
  const origins = new Set(edges.map(([from]) => from));
  const targets = new Set(edges.map(([, to]) => to));
  const left = edges.filter(([from, to]) => targets.has(from) && origins.has(to));
  return left.length < edges.length ? cyclic(left) : left.map((edge) => edge.join(' → '));
}

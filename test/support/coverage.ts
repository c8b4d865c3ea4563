import {readdirSync, readFileSync} from 'node:fs';
import {SourceMap} from 'node:module';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

/** The code that a run of the bundle executed, according to V8 (`NODE_V8_COVERAGE`). */
export interface Executed {
  /** Modules of Node, without its internal ones. */
  readonly builtins: readonly string[];
  /** Sources of the project, such as `src/cli/main.ts`. */
  readonly own: readonly string[];
  readonly packages: readonly string[];
  /** Files of the bundle. */
  readonly files: readonly string[];
  /** Bytes of the bundle that were executed. */
  readonly bytes: number;
}

/** Reads the coverage that one process wrote into a directory. */
export function readCoverage(directory: string): Executed {
  const [file = ''] = readdirSync(directory);
  const scripts: Script[] = JSON.parse(readFileSync(join(directory, file), 'utf8')).result;
  const builtins = scripts
    .filter(({url}) => url.startsWith('node:') && !url.startsWith('node:internal/'))
    .map(({url}) => url.slice('node:'.length));
  const bundled = scripts.filter(({url}) => url.endsWith('.cjs') && url.includes('/dist/'));
  const sources = new Set(bundled.flatMap(executedSources));
  return {
    builtins: builtins.sort(),
    own: [...sources].filter((path) => /^(scripts|src)\//.test(path)).sort(),
    packages: [...new Set([...sources].flatMap((path) => packageOf(path) ?? []))].sort(),
    files: bundled.map(({url}) => basename(url)).sort(),
    bytes: bundled.reduce((sum, script) => sum + executedBytes(script), 0),
  };
}

const packageOf = (path: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** The sources with at least one executed function. */
function executedSources({url, functions}: Script): string[] {
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'latin1');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({index}) => index + 1)];
  return functions.flatMap(({ranges}) => {
    const [range] = ranges;
    if (range === undefined || range.count === 0) return [];
    const line = starts.findLastIndex((start) => start <= range.startOffset);
    const entry = map.findEntry(line, range.startOffset - (starts[line] ?? 0));
    return 'originalSource' in entry ? [entry.originalSource.replace(/^(\.\.\/)+/, '')] : [];
  });
}

/** Ranges are nested; the innermost decides whether a byte was executed. */
function executedBytes({functions}: Script): number {
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const executed = new Uint8Array(Math.max(...ranges.map(({endOffset}) => endOffset)));
  for (const {startOffset, endOffset, count} of ranges) {
    executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return executed.reduce((sum, byte) => sum + byte, 0);
}

// Filters the stack of a report: positions in the bundle become positions in the sources. Build the commit that
// the report names (`connectorctl --version --json`) first: the maps are beside the bundle, but not in the package.
import {readFileSync} from 'node:fs';
import {SourceMap} from 'node:module';
import {join} from 'node:path';
import {bundleFiles} from './build/bundle.js';
import {root} from './build/root.js';

const maps = new Map<string, SourceMap>();

function mapOf(file: string): SourceMap {
  const map =
    maps.get(file) ??
    new SourceMap(JSON.parse(readFileSync(join(root, 'dist', `${file}.map`), 'utf8')));
  maps.set(file, map);
  return map;
}

const text = readFileSync(0, 'utf8');
process.stdout.write(
  text.replace(/[^\s(]*?([\w-]+\.cjs):(\d+):(\d+)/g, (found, file, line, column) => {
    if (!bundleFiles.includes(file)) return found;
    const {fileName, lineNumber, columnNumber} = Object(
      mapOf(file).findOrigin(Number(line), Number(column)),
    );
    if (fileName === undefined) return found;
    return `${fileName.replace(/^(\.\.\/)+/, '')}:${lineNumber}:${columnNumber}`;
  }),
);

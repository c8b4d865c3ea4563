// Filters the stack of a report: positions in the bundle become positions in the sources. Build the commit that
// the report names (`connectorctl --version --json`) first: the maps are beside the bundle, but not in the package.
import {existsSync, readFileSync} from 'node:fs';
import {SourceMap} from 'node:module';
import {join} from 'node:path';
import {root} from './build/root.js';

const position = /[^\s(]*?([\w-]+\.cjs):(\d+):(\d+)/g;
const mapped = readFileSync(0, 'utf8').replace(position, (found, file, line, column) => {
  const path = join(root, 'dist', `${file}.map`);
  if (!existsSync(path)) return found;
  const map = new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  const origin = map.findOrigin(Number(line), Number(column));
  if (!('fileName' in origin)) return found;
  return `${origin.fileName.replace(/^(\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`;
});
process.stdout.write(mapped);

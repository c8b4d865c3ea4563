// Runs the sessions on the pages of the commands, and writes what they print now. With names of pages, only those.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {withCurrentSessions} from '../test/support/command/example-session.js';
import {root} from './build/root.js';
import {commandPages} from './command-pages.js';

const wanted = process.argv.slice(2);
for (const page of commandPages) {
  if (wanted.length > 0 && !wanted.some((name) => page.endsWith(`/${name}.md`))) continue;
  const path = join(root, page);
  writeFileSync(path, await withCurrentSessions(readFileSync(path, 'utf8')));
  console.log(page);
}

import {mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A directory of its own for each test of the suite that calls this; gone once the suite is over. */
export function temporaryDirectory(): (...path: readonly string[]) => string {
  const directories: string[] = [];
  beforeEach(() => {
    directories.push(mkdtempSync(join(tmpdir(), 'connectorctl-test-')));
  });
  // Not after each test: its own hooks, which end what it left running there, may come later. What such a
  // program has started in turn (a shell its completions, say) may write for a moment more: hence the retries.
  after(() =>
    Promise.all(
      directories.map((directory) => rm(directory, {force: true, recursive: true, maxRetries: 10})),
    ),
  );
  return (...path) => join(directories.at(-1) ?? '', ...path);
}

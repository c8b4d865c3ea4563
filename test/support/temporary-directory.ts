import {mkdtempSync, realpathSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** Makes a directory for each test of the calling suite, and removes it at the end of the suite. */
export function temporaryDirectory(): (...path: readonly string[]) => string {
  const directories: string[] = [];
  beforeEach(() => {
    directories.push(mkdtempSync(join(tmpdir(), 'connectorctl-test-')));
  });
  // Not after each test: hooks that end the test's programs may run later than this one. Child processes of
  // such a program (for instance a shell's completion) may still write for a moment, hence the retries.
  after(() =>
    Promise.all(
      directories.map((directory) => rm(directory, {force: true, recursive: true, maxRetries: 10})),
    ),
  );
  return (...path) => join(directories.at(-1) ?? '', ...path);
}

/** Makes one directory for all tests of the calling suite. @param end ends what uses it, before it is removed */
export function suiteDirectory(
  end: () => Promise<unknown> = async () => {},
): (...path: readonly string[]) => string {
  let directory = '';
  before(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'connectorctl-suite-')));
  });
  after(async () => {
    await end();
    await rm(directory, {force: true, recursive: true, maxRetries: 10});
  });
  return (...path) => join(directory, ...path);
}

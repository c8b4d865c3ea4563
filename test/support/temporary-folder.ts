import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A folder of its own for each test of the suite that calls this; gone after. */
export function temporaryFolder(): (...path: readonly string[]) => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'connectorctl-test-'));
  });
  afterEach(() => rmSync(folder, {force: true, recursive: true}));
  return (...path) => join(folder, ...path);
}

import {hooksOfEachTest} from './process/at-end-of-test.js';

export const mochaHooks = hooksOfEachTest;

/**
 * What the tests need of the environment. Everything else is of the developer's shell, terminal or CI, such as
 * FORCE_COLOR, COLUMNS, CI, XDG_CONFIG_HOME, a proxy or a CONNECTORCTL_API_KEY, and must not affect a test.
 */
const needed = /^(PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot|(TEST|MOCHA|CITUS)_.*)$/i;

for (const name of Object.keys(process.env)) {
  if (!needed.test(name)) delete process.env[name];
}

const {TEST_TMPDIR} = process.env;
if (TEST_TMPDIR !== undefined) process.env['TMPDIR'] = TEST_TMPDIR;

// Libraries look for a terminal when they are loaded. Mocha's reporter has found it by now.
for (const stream of [process.stdin, process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', {value: undefined, configurable: true, writable: true});
}

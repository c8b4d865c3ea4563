/**
 * What the tests of the command line run: the bundle, which is what ships, or with
 * `TEST_TARGET=source` the same sources as single modules.
 */
export const testsBundle = process.env['TEST_TARGET'] !== 'source';

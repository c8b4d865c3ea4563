/** The command line as it ships, or the same sources as single modules. */
export type Target = 'bundle' | 'source';

/** What the tests of the command line run: the bundle, or with `TEST_TARGET=source` the modules. */
export const testTarget: Target = process.env['TEST_TARGET'] === 'source' ? 'source' : 'bundle';

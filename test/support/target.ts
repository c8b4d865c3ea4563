const targets = ['bundle', 'source', 'executable'] as const;

/** The command line as it ships; the same sources as single modules; and the executable with Node in it. */
export type Target = (typeof targets)[number];

/**
 * What the tests of the command line run: the bundle, or what `TEST_TARGET` says. Those that run it in
 * their own process take the bundle for the executable, which holds it.
 */
export const testTarget: Target =
  targets.find((target) => target === process.env['TEST_TARGET']) ?? 'bundle';

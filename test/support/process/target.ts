const targets = ['bundle', 'executable'] as const;

/** The bundle that ships, and the executable that includes Node. */
export type Target = (typeof targets)[number];

/**
 * The target of the command line tests: `TEST_TARGET`, or the bundle. For the executable, tests that run
 * the command line in their own process use the bundle, which the executable contains.
 */
export const testTarget: Target =
  targets.find((target) => target === process.env['TEST_TARGET']) ?? 'bundle';

// Replaces oclif's search for the TypeScript source of a command or hook, which the bundle does not have.
// With NODE_ENV=development the search would warn that `typescript` is missing.
export const TS_CONFIGS = {};

export async function tsPath(_root: string, path: string): Promise<string> {
  return path;
}

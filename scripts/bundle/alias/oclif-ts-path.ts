// For oclif's search for TypeScript sources of a command or a hook: in the bundle there are none.
export const TS_CONFIGS = {};

export async function tsPath(_root: string, path: string): Promise<string> {
  return path;
}

// Replaces oclif's class for plugins on disk, which the bundle does not have; see `BundledPlugin`.
export class Plugin {
  constructor() {
    throw new Error('The bundle loads no plugins from disk');
  }
}

// For oclif's plugin as it lies on disk; see `BundledPlugin` for one that is in the bundle.
export class Plugin {
  constructor() {
    throw new Error('The bundle loads no plugins from disk');
  }
}

// Replaces oclif's plugin loader, which searches the disk for package.json, manifests and commands. The
// bundle passes the plugins instead.
import type {Interfaces} from '@oclif/core';

type Plugins = Map<string, Interfaces.Plugin>;

export default class PluginLoader {
  readonly #plugins: Plugins;

  constructor({plugins}: {plugins: Plugins}) {
    this.#plugins = plugins;
  }

  async loadRoot(): Promise<Interfaces.Plugin | undefined> {
    return [...this.#plugins.values()].find(({isRoot}) => isRoot);
  }

  async loadChildren(): Promise<{errors: Error[]; plugins: Plugins}> {
    return {errors: [], plugins: this.#plugins};
  }
}

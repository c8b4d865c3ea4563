/** Written by the build from package.json, the manifests and the commands of each oclif plugin. */
declare module 'connectorctl:plugins' {
  import type {Command, Hook, Interfaces} from '@oclif/core';

  /** What the build knows of an oclif plugin. */
  export interface PluginSource {
    readonly pjson: Interfaces.PJSON;
    /** Sorted by the commands' ids. */
    readonly manifest: {readonly commands: Readonly<Record<string, Command.Cached>>};
    readonly topics: Interfaces.Topic[];
    readonly hooks: Interfaces.Plugin['hooks'];
    /** Loads a command by its id. */
    readonly load: Readonly<Record<string, () => Promise<{default: Command.Class}>>>;
  }

  /** The command line itself, then the plugins that its package.json names. */
  export const plugins: readonly [PluginSource, ...PluginSource[]];
  /** Loads a hook by the path that its plugin's package.json gives. */
  export const hooks: Readonly<Record<string, () => Promise<{default: Hook<never>}>>>;
}

/** Modules that their packages do not export; see the aliases of the same names. */
declare module 'got/dist/source/core/diagnostics-channel.js';
declare module '@oclif/core/lib/ux/action/simple.js';

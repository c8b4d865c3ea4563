/** The build writes this module from package.json, the manifest and the commands of each oclif plugin. */
declare module 'connectorctl:plugins' {
  import type {Command, Interfaces} from '@oclif/core';
  import type {DetailName} from './command-details.js';

  /** A command in the manifest. */
  export interface CommandSource {
    readonly head: {readonly id: string};
    /** Creates what only help and completion read. */
    readonly details: () => Pick<Command.Cached, DetailName>;
  }

  /** An oclif plugin as the build finds it. */
  export interface PluginSource {
    readonly pjson: Interfaces.PJSON;
    /** Sorted by the commands' ids. */
    readonly commands: readonly CommandSource[];
    readonly topics: Interfaces.Topic[];
    readonly hooks: Interfaces.Plugin['hooks'];
    /** Loads a command by its id. */
    readonly load: Readonly<Record<string, () => Promise<{default: Command.Class}>>>;
  }

  /** The command line itself, then the plugins in its package.json. */
  export const plugins: readonly [PluginSource, ...PluginSource[]];
  /** Loads a hook or the help by its path in the plugin's package.json. */
  export const modules: Readonly<Record<string, () => Promise<object>>>;
}

/** Modules that their packages do not export; see the aliases with the same names. */
declare module 'got/dist/source/core/diagnostics-channel.js';
declare module '@oclif/core/lib/util/fs.js';
declare module '@oclif/core/lib/ux/action/simple.js';
declare module '@oclif/core/lib/util/os.js' {
  export function getShell(): Promise<string>;
}

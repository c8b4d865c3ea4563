import type {PluginSource} from 'connectorctl:plugins';
import type {Command, Interfaces} from '@oclif/core';

/** An oclif plugin inside the bundle: oclif does not search for it on disk. */
export class BundledPlugin implements Interfaces.Plugin {
  readonly #source: PluginSource;
  readonly _base = '';
  readonly alias: string;
  readonly commandIDs: string[];
  readonly commands: Command.Loadable[];
  readonly commandsDir = undefined;
  readonly hasManifest = true;
  readonly hooks: Interfaces.Plugin['hooks'];
  readonly isRoot: boolean;
  readonly moduleType = 'commonjs';
  readonly name: string;
  readonly options: Interfaces.Plugin['options'];
  readonly pjson: Interfaces.PJSON;
  readonly root: string;
  readonly topics: Interfaces.Topic[];
  readonly type = 'core';
  readonly valid = true;
  readonly version: string;

  /** @param root the directory of the installed package */
  constructor(source: PluginSource, root: string, isRoot: boolean) {
    const {pjson, manifest, topics} = source;
    this.#source = source;
    this.alias = pjson.name;
    this.commandIDs = Object.keys(manifest.commands);
    this.commands = Object.values(manifest.commands).map((command) => ({
      ...command,
      load: () => this.findCommand(command.id, {must: true}),
    }));
    this.hooks = source.hooks;
    this.isRoot = isRoot;
    this.name = pjson.name;
    this.options = {root, isRoot};
    this.pjson = pjson;
    this.root = root;
    this.topics = topics.map((topic) => ({...topic}));
    this.version = pjson.version;
  }

  /** Does nothing: everything is loaded already. */
  async load(): Promise<void> {}

  async findCommand(id: string, options: {must: true}): Promise<Command.Class>;
  async findCommand(id: string, options?: {must: boolean}): Promise<Command.Class | undefined>;
  async findCommand(id: string): Promise<Command.Class | undefined> {
    const module = await this.#source.load[id]?.();
    if (module === undefined) return undefined;
    const command = module.default;
    command.id = id;
    command.plugin = this;
    return command;
  }
}

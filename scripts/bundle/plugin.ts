import type {CommandSource, PluginSource} from 'connectorctl:plugins';
import type {Command, Interfaces} from '@oclif/core';
import {type DetailName, detailNames} from './command-details.js';

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
    const {pjson, commands, topics} = source;
    this.#source = source;
    this.alias = pjson.name;
    this.commandIDs = commands.map(({head}) => head.id);
    this.commands = commands.map((command) => {
      const load = () => this.findCommand(command.head.id, {must: true});
      return new BundledCommand(command, load) as unknown as Command.Loadable;
    });
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

/** A command whose details are created on first use. */
class BundledCommand {
  readonly #make: CommandSource['details'];
  #made: ReturnType<CommandSource['details']> | undefined;

  constructor({head, details}: CommandSource, load: Command.Loadable['load']) {
    this.#make = details;
    Object.assign(this, head, {load});
  }

  detail(name: DetailName): unknown {
    this.#made ??= this.#make();
    return this.#made[name];
  }
}

for (const name of detailNames) {
  Object.defineProperty(BundledCommand.prototype, name, {
    get(this: BundledCommand) {
      return this.detail(name);
    },
  });
}

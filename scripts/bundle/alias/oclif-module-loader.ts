// Replaces oclif's loader of modules by path, which searches the disk. In the bundle it loads only hooks and the help:
// commands come from `BundledPlugin`.
import {modules} from 'connectorctl:plugins';

export async function load(_config: unknown, target: string) {
  const loadModule = modules[target];
  if (loadModule === undefined) throw new Error(`The bundle has no module ${target}`);
  return loadModule();
}

export async function loadWithData(plugin: unknown, target: string) {
  return {filePath: target, isESM: false, module: await load(plugin, target)};
}

function refuse(): never {
  throw new Error('The bundle loads nothing from disk');
}

export {refuse as isPathModule, refuse as loadWithDataFromManifest};

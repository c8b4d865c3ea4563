// Replaces oclif's loader of modules by path, which searches the disk. In the bundle it loads only hooks:
// commands come from `BundledPlugin`.
import {hooks} from 'connectorctl:plugins';

export async function loadWithData(_plugin: unknown, target: string) {
  const load = hooks[target];
  if (load === undefined) throw new Error(`The bundle has no hook ${target}`);
  return {filePath: target, isESM: false, module: await load()};
}

function refuse(): never {
  throw new Error('The bundle loads nothing from disk');
}

export {refuse as isPathModule, refuse as load, refuse as loadWithDataFromManifest};

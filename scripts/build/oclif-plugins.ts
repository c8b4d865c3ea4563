import {join} from 'node:path';
import type {Interfaces} from '@oclif/core';
import {detailNames} from '../bundle/command-details.js';
import {readJson, root} from './root.js';

interface Manifest {
  readonly commands: Readonly<Record<string, {readonly relativePath: readonly string[]}>>;
}

/** An oclif plugin on disk. */
interface Source {
  readonly pjson: Interfaces.PJSON;
  readonly manifest: Manifest;
  /** The source file for a path in the package. */
  readonly file: (path: string) => string;
}

/** The command line itself, from its sources, then its plugins. */
function sources(): Source[] {
  const pjson: Interfaces.PJSON = {...readJson('package.json'), oclif: readJson('.oclifrc.json')};
  const own: Source = {
    pjson,
    manifest: readJson('oclif.manifest.json'),
    file: (path) => join(root, path).replace('/build/', '/src/').replace(/\.js$/, '.ts'),
  };
  const others = (pjson.oclif.plugins ?? []).map((name) => ({
    pjson: readJson<Interfaces.PJSON>('node_modules', name, 'package.json'),
    manifest: readJson<Manifest>('node_modules', name, 'oclif.manifest.json'),
    file: (path: string) => join(root, 'node_modules', name, path),
  }));
  return [own, ...others];
}

/** The ids of all commands. */
export function commandIds(): string[] {
  return sources().flatMap(({manifest}) => Object.keys(manifest.commands));
}

/** The text of the module `connectorctl:plugins`. */
export function pluginModule(): string {
  const all = sources();
  // Each hook is one module.
  const modules = all.flatMap(({pjson: {oclif}, file}) =>
    [...Object.values(oclif.hooks ?? {}), oclif.helpClass].flatMap((target) =>
      typeof target === 'string' ? [importer(target, file(target))] : [],
    ),
  );
  const plugins = all.map(describe).join();
  // The one template in the help of all commands costs the template engine.
  return `export const plugins = [${plugins.replaceAll('<%= config.bin %>', String(all[0]?.pjson.oclif.bin))}];
export const modules = {${modules.join()}};`;
}

const importer = (key: string, file: string) =>
  `${JSON.stringify(key)}: () => import(${JSON.stringify(file)})`;

function describe({pjson, manifest, file}: Source): string {
  const ids = Object.keys(manifest.commands).sort();
  const load = ids.map((id) =>
    importer(id, file(join(...(manifest.commands[id]?.relativePath ?? [])))),
  );
  const {name, version, description, homepage, oclif} = pjson;
  const topics = Object.entries(oclif.topics ?? {}).map(([name, topic]) => ({name, ...topic}));
  const hooks = Object.entries(oclif.hooks ?? {}).map(([event, target]) => [
    event,
    [{target, identifier: 'default'}],
  ]);
  const data = JSON.stringify({
    pjson: {name, version, description, homepage, oclif},
    topics,
    hooks: Object.fromEntries(hooks),
  });
  const commands = ids.map((id) => describeCommand(manifest.commands[id] ?? {}));
  return `{...${data}, commands: [${commands.join()}], load: {${load.join()}}}`;
}

/** V8 compiles and caches only functions that run, so the details of most commands cost nothing. */
function describeCommand(command: object): string {
  const isDetail = (name: string) => (detailNames as readonly string[]).includes(name);
  const part = (details: boolean) =>
    Object.fromEntries(Object.entries(command).filter(([name]) => isDetail(name) === details));
  return `{head: ${JSON.stringify(part(false))}, details: () => (${JSON.stringify(part(true))})}`;
}

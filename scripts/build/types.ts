import {copyFileSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {libraryFiles} from './bundle.js';
import {root} from './root.js';

/**
 * Copies the library's declarations and those that they import, so that users of the library need to
 * install nothing else.
 *
 * @throws if one of them imports a package
 */
export function copyTypes(directory: string): void {
  const open = libraryFiles.map((name) => `${name}.d.ts`);
  const copied = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (copied.has(file)) continue;
    copied.add(file);
    const text = readFileSync(join(root, 'build', file), 'utf8').replace(/\/\*.*?\*\//gs, '');
    for (const [, target = ''] of text.matchAll(/(?:\bfrom |import\()['"](.+?)['"]/g)) {
      if (!target.startsWith('.')) throw new Error(`${file} needs the types of ${target}`);
      open.push(normalize(join(dirname(file), target.replace(/\.js$/, '.d.ts'))));
    }
    mkdirSync(dirname(join(directory, file)), {recursive: true});
    copyFileSync(join(root, 'build', file), join(directory, file));
  }
}

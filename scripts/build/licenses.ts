import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Metafile} from 'esbuild';
import {readJson, root} from './root.js';

/** A package that is at least partly in the bundle. */
interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

type Package = Omit<Bundled, 'text'> & {readonly author?: string | {readonly name: string}};

/** The directories of the packages that are at least partly in the outputs. */
export function bundledDirectories(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles
    .flatMap(({outputs}) => Object.values(outputs))
    .flatMap(({inputs}) => Object.entries(inputs))
    .filter(([, {bytesInOutput}]) => bytesInOutput > 0)
    .map(([path]) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(inputs)].filter((directory) => directory !== undefined).sort();
}

function describe(directory: string): Bundled {
  const {name, version, license, author} = readJson<Package>(directory, 'package.json');
  const read = (pattern: RegExp) => {
    const file = readdirSync(join(root, directory)).find((entry) => pattern.test(entry));
    return file && readFileSync(join(root, directory, file), 'utf8').trim();
  };
  const text = read(/^licen[cs]e/i) ?? mit(license, author);
  if (!text) throw new Error(`${name} has no license`);
  const notice = read(/^notice/i);
  return {name, version, license, text: notice ? `${text}\n\n${notice}` : text};
}

/** The text of the MIT license, for a package that names the license but does not contain its text. */
function mit(license: string, author: Package['author']): string | undefined {
  const holder = typeof author === 'string' ? author : author?.name;
  if (license !== 'MIT' || !holder) return undefined;
  const ours = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  return ours.replace(/^Copyright.*$/m, `Copyright (c) ${holder}`);
}

/** Writes one file with the licenses of all packages in the bundle. */
export function writeLicenses(metafiles: readonly Metafile[], path: string): void {
  const sections = bundledDirectories(metafiles)
    .map(describe)
    .map(({name, version, license, text}) => `${name} ${version} (${license})\n\n${text}\n`);
  const head = 'connectorctl contains parts of these packages, each under its own license.\n';
  writeFileSync(path, [head, ...new Set(sections)].join(`\n${'-'.repeat(78)}\n\n`));
}

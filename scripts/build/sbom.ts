import {writeFileSync} from 'node:fs';
import type {Metafile} from 'esbuild';
import {readSource} from './commit.js';
import {bundledDirectories} from './licenses.js';
import {readJson, root} from './root.js';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Lock {
  readonly packages: Readonly<Record<string, {readonly integrity?: string}>>;
}

/** A part of the program, in the terms of CycloneDX 1.6. */
interface Component {
  readonly type: 'application' | 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly object[];
}

/** The package URL of an npm package (https://github.com/package-url/purl-spec). */
function purlOf({name, version}: Package): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function describe(type: Component['type'], one: Package, integrity?: string): Component {
  const {name, version, license} = one;
  const purl = purlOf(one);
  const [, sha512] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
  const content = sha512 && Buffer.from(sha512, 'base64').toString('hex');
  const isExpression = /[ ()]/.test(license);
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [isExpression ? {expression: license} : {license: {id: license}}],
    ...(content && {hashes: [{alg: 'SHA-512', content}]}),
  };
}

/**
 * Writes the software bill of materials of the bundle as CycloneDX 1.6: every package that is at least partly
 * in it, with the hash of the published archive. An installer's audit sees none of them. Its time is that of the commit,
 * so that each build of a commit writes the same file.
 */
export function writeSbom(metafiles: readonly Metafile[], path: string): void {
  const {packages} = readJson<Lock>('package-lock.json');
  const components = bundledDirectories(metafiles).map((directory) => {
    const lock = packages[directory];
    return describe('library', readJson<Package>(directory, 'package.json'), lock?.integrity);
  });
  const unique = new Map(components.map((component) => [component.purl, component]));
  const {commit, date} = readSource(root, process.env);
  const own = describe('application', readJson<Package>('package.json'));
  write(path, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(date !== null && {timestamp: date}),
      component: {...own, ...(commit !== null && {pedigree: {commits: [{uid: commit}]}})},
    },
    components: [...unique.values()],
  });
}

/** Writes a bill of materials with one more component, for instance that of the executable with Node.js. */
export function extendSbom(from: string, component: Component, path: string): void {
  const bom = readJson<{readonly components: readonly Component[]}>(from);
  write(path, {...bom, components: [...bom.components, component]});
}

function write(path: string, bom: object): void {
  writeFileSync(path, `${JSON.stringify(bom)}\n`);
}

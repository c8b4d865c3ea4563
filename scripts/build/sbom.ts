import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import type {Metafile} from 'esbuild';
import {readSource} from './commit.js';
import {bundledDirectories} from './licenses.js';
import {readJson, root} from './root.js';

/** The package URL of a package of npm: of its name and version. */
const purlOf = ({name, version}: {readonly name: string; readonly version: string}) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A bill of materials in CycloneDX, as npm writes it. */
interface Bom {
  readonly metadata: {readonly component: object};
  readonly components: readonly {
    readonly purl: string;
    readonly scope?: string;
    readonly properties?: object;
  }[];
}

/**
 * Writes the software bill of materials of the bundle: what npm says of every package that is at least partly in it.
 * An installer's audit sees none of them. Its time is that of the commit, so that each build of a commit writes the
 * same file.
 */
export function writeSbom(metafiles: readonly Metafile[], path: string): void {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const all: Bom = JSON.parse(
    execFileSync('npm', words, {cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26}),
  );
  const bundled = new Set(
    bundledDirectories(metafiles).map((directory) => purlOf(readJson(directory, 'package.json'))),
  );
  const {commit, date} = readSource(root, process.env);
  const own = {...all.metadata.component, type: 'application', name: 'connectorctl'};
  // Its scope is that of development: users install none of them.
  const components = all.components
    .filter(({purl}) => bundled.has(purl))
    .map(({scope: _, properties: __, ...component}) => component);
  write(path, {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      ...(date !== null && {timestamp: date}),
      component: {...own, ...(commit !== null && {pedigree: {commits: [{uid: commit}]}})},
    },
    components,
  });
}

/** Writes a bill of materials with one more component, for instance that of the executable with Node.js. */
export function extendSbom(from: string, component: object, path: string): void {
  const bom = readJson<Bom>(from);
  write(path, {...bom, components: [...bom.components, component]});
}

function write(path: string, bom: object): void {
  writeFileSync(path, `${JSON.stringify(bom)}\n`);
}

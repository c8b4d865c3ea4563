import {expect} from 'chai';
import {sourceFiles} from '../support/sources.js';

/**
 * Who may import whom. `own` lists the layers of the project, `packages` what comes from outside;
 * types cost nothing at run time and may also come from `types`.
 */
interface Layer {
  readonly own: readonly string[];
  readonly packages: readonly RegExp[];
  readonly types?: readonly string[];
}

const anything = /./;
const node = (...names: string[]) => new RegExp(`^node:(${names.join('|')})$`);

/** Files that any layer but the pure ones may import. */
const leaves = ['errors.ts', 'node-errors.ts', 'sync-directory.ts'];

const layers: Readonly<Record<string, Layer>> = {
  'errors.ts': {own: [], packages: []},
  'node-errors.ts': {own: [], packages: []},
  'sync-directory.ts': {own: [], packages: []},
  'index.ts': {own: ['client', 'errors.ts', 'contract'], packages: []},
  contract: {own: ['contract'], packages: [/^zod\/mini$/]},
  domain: {
    own: ['domain', 'contract'],
    packages: [node('crypto', 'zlib'), /^ulid$/, /^picomatch$/],
    types: ['client'],
  },
  client: {own: ['client', 'contract', 'domain', ...leaves], packages: [anything]},
  render: {
    own: ['render', 'contract', 'domain', 'errors.ts'],
    packages: [/^[^n]/, node('util')],
    types: ['client'],
  },
  store: {own: ['store', 'contract', 'domain', ...leaves], packages: [anything]},
  server: {own: ['server', 'store', 'contract', 'domain', ...leaves], packages: [anything]},
  bundle: {own: ['bundle', 'cli', 'domain', 'errors.ts'], packages: [anything]},
  cli: {
    own: ['cli', 'client', 'render', 'contract', 'domain', ...leaves],
    packages: [anything],
    types: ['server', 'store'],
  },
  commands: {
    own: ['cli', 'render', 'domain', 'contract', 'errors.ts'],
    packages: [/^@oclif\/core$/, node('path')],
    types: ['client', 'server', 'store'],
  },
};

const layerOf = (path: string) => path.split('/')[0] ?? path;

/** What only `serve` and `key` may reach, and only when they run. */
const heavy = new Set(['server', 'store']);
const heavyUsers = /^(commands\/(serve|key\/|store\/)|cli\/(keyring|store)-)/;

describe('layers', () => {
  const files = sourceFiles();

  it('has a rule for every directory of src', () => {
    expect([...new Set(files.map(({path}) => layerOf(path)))].sort()).to.deep.equal(
      Object.keys(layers)
        .filter((name) => files.some(({path}) => layerOf(path) === name))
        .sort(),
    );
    expect(files.length).to.be.greaterThan(20);
  });

  for (const {path, imports} of files) {
    const layer = layers[layerOf(path)];
    it(`${path} imports only what its layer may`, () => {
      const refused = imports.filter(({target, own, typeOnly, dynamic}) => {
        if (!own) return !layer?.packages.some((pattern) => pattern.test(target)) && !typeOnly;
        const name = layerOf(target);
        if (layer?.own.includes(name) || (typeOnly && layer?.types?.includes(name))) return false;
        return !(heavy.has(name) && dynamic && heavyUsers.test(path));
      });
      expect(refused.map(({target}) => target)).to.deep.equal([]);
    });
  }

  it('has no import cycle, not even of types or of dynamic imports', () => {
    const importsOf = new Map(
      files.map(({path, imports}) => [path, imports.flatMap((one) => (one.own ? one.target : []))]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
      if (way.includes(path) || done.has(path)) return;
      for (const target of importsOf.get(path) ?? []) visit(target, [...way, path]);
      done.add(path);
    };
    for (const path of importsOf.keys()) visit(path, []);
    expect(cycles).to.deep.equal([]);
  });

  it('keeps the process out of what is pure', () => {
    const pure = files.filter(({path}) => /^(contract|domain|render)\//.test(path));
    const touching = pure.filter(({text}) =>
      /\bprocess\.|\bDate\.now\(|\bMath\.random\(|\bconsole\./.test(text),
    );
    expect(touching.map(({path}) => path)).to.deep.equal([]);
  });

  it('states paths, header names and media types in the contract alone', () => {
    const outside = files.filter(({path}) => !path.startsWith('contract/'));
    const stating = outside.filter(({text}) =>
      /\/api\/connectors|create-token['"`]|['"`]idempotency-key['"`]|application\/problem\+json/i.test(
        text,
      ),
    );
    expect(stating.map(({path}) => path)).to.deep.equal([]);
  });

  it('has no `any`, no suppressions and no leftovers', () => {
    const offending = files.filter(({text}) =>
      /\bas any\b|: any[;,)=\]]|<any>|@ts-ignore|@ts-expect-error|biome-ignore|\bTODO\b|\bFIXME\b/.test(
        text,
      ),
    );
    expect(offending.map(({path}) => path)).to.deep.equal([]);
  });
});

import {expect} from 'chai';
import {type SourceFile, sourceFiles} from '../support/sources.js';
import {type Layer, layers} from './layers.js';

/** The directory of a module; a module directly below `src` stands for itself. */
function directoryOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? path : path.slice(0, end);
}

/** Whether a list of directories and modules has a module. */
function includes(list: readonly string[] | undefined, module: string): boolean {
  return list?.some((entry) => entry === module || entry === directoryOf(module)) ?? false;
}

function isAllowed(
  path: string,
  layer: Layer | undefined,
  {target, own, typeOnly, dynamic}: SourceFile['imports'][number],
): boolean {
  // A package's types cost nothing, and the compiler finds those that are not installed.
  if (!own) return typeOnly || (layer?.packages?.includes(target) ?? false);
  if (directoryOf(target) === directoryOf(path)) return true;
  return (
    includes(layer?.modules, target) ||
    (typeOnly && includes(layer?.types, target)) ||
    (dynamic && includes(layer?.dynamic, target))
  );
}

/**
 * The first cycle among modules, as the path that leads back to its beginning. Imports of types count too, so
 * that one file can be read without all the others.
 */
function findCycle(files: readonly SourceFile[]): readonly string[] | undefined {
  const targets = new Map(
    files.map(({path, imports}) => [
      path,
      imports.filter(({own}) => own).map(({target}) => target),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    const start = trail.indexOf(path);
    if (start !== -1) return [...trail.slice(start), path];
    if (done.has(path)) return undefined;
    for (const target of targets.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of targets.keys()) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the layers of src', () => {
  const files = sourceFiles();

  it('test/architecture/layers.ts has an entry for every directory, and for no other', () => {
    const directories = new Set(files.map(({path}) => directoryOf(path)));
    const advice = 'Add or remove the rows of these directories in test/architecture/layers.ts.';
    expect(Object.keys(layers).sort(), advice).to.deep.equal([...directories].sort());
  });

  for (const {path, imports} of files) {
    it(`${path} imports only what test/architecture/layers.ts allows its directory`, () => {
      const layer = layers[directoryOf(path)];
      const refused = imports.filter((imported) => !isAllowed(path, layer, imported));
      const advice = `Add these to the row "${directoryOf(path)}" in test/architecture/layers.ts if the layers of ARCHITECTURE.md allow them`;
      expect(
        refused.map(({target}) => target),
        advice,
      ).to.deep.equal([]);
    });
  }

  it('test/architecture/layers.ts allows nothing that no module uses', () => {
    const idle = Object.entries(layers).flatMap(([directory, layer]) => {
      const imports = files
        .filter(({path}) => directoryOf(path) === directory)
        .flatMap((file) => file.imports);
      const used = (entry: string) =>
        imports.some(({target}) => target === entry || directoryOf(target) === entry);
      return Object.values(layer)
        .flat()
        .filter((entry) => !used(entry))
        .map((entry) => `${directory}: ${entry}`);
    });
    expect(idle, 'Remove these from test/architecture/layers.ts').to.deep.equal([]);
  });

  it('has no import cycle', () => {
    expect(findCycle(files)).to.equal(undefined);
  });

  // Modules that an entry names by themselves stand apart from their directory.
  it('src/server has no import cycle among its directories', () => {
    const named = new Set(Object.values(layers).flatMap((layer) => Object.values(layer).flat()));
    const nodeOf = (module: string) => (named.has(module) ? module : directoryOf(module));
    const server = files.filter(({path}) => path.startsWith('server/'));
    const nodes = [...new Set(server.map(({path}) => nodeOf(path)))].map((node) => ({
      path: node,
      text: '',
      imports: server
        .filter(({path}) => nodeOf(path) === node)
        .flatMap(({imports}) => imports.map((one) => ({...one, target: nodeOf(one.target)})))
        .filter(({target}) => target !== node),
    }));
    expect(findCycle(nodes)).to.equal(undefined);
  });

  it('are searched for cycles by a function that finds one', () => {
    const file = (path: string, ...targets: string[]): SourceFile => ({
      path,
      text: '',
      imports: targets.map((target) => ({target, own: true, dynamic: false, typeOnly: true})),
    });
    const cyclic = [file('a.ts', 'b.ts'), file('b.ts', 'c.ts'), file('c.ts', 'b.ts')];
    expect(findCycle(cyclic)).to.deep.equal(['b.ts', 'c.ts', 'b.ts']);
  });

  it('contract, domain and render use neither the process, the clock nor randomness', () => {
    const pure = files.filter(({path}) => /^(contract|domain|render)\//.test(path));
    const touching = pure.filter(({text}) =>
      /\bprocess\.|\bDate\.now\b|\bMath\.random\b|\bconsole\./.test(text),
    );
    expect(touching.map(({path}) => path)).to.deep.equal([]);
  });

  it('paths, header names and media types are stated in the contract alone', () => {
    // The conformance suite quotes the interface in its checks and their descriptions.
    const outside = files.filter(({path}) => !/^(contract|conformance)\//.test(path));
    const stating = outside.filter(({text}) =>
      /\/api\/connectors|create-token['"`]|['"`]idempotency-key['"`]|application\/problem\+json/i.test(
        text,
      ),
    );
    expect(stating.map(({path}) => path)).to.deep.equal([]);
  });

  it('no file name repeats the name of its directory', () => {
    const repeating = files.filter(({path}) => {
      const [name = '', directory] = path.replace(/\.ts$/, '').split('/').reverse();
      return directory !== undefined && name.startsWith(`${directory}-`);
    });
    expect(repeating.map(({path}) => path)).to.deep.equal([]);
  });

  it('have no `any`, no suppressed finding of the compiler or linter, and no TODO', () => {
    const offending = files.filter(({text}) =>
      /\bas any\b|: any[;,)=\]]|<any>|@ts-ignore|@ts-expect-error|biome-ignore|\bTODO\b|\bFIXME\b/.test(
        text,
      ),
    );
    expect(offending.map(({path}) => path)).to.deep.equal([]);
  });
});

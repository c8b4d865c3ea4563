import {expect} from 'chai';
import {type SourceFile, sourceFiles} from '../support/sources.js';
import {areas, packages, pureModules} from './layers.js';

type Import = SourceFile['imports'][number];

/** The directory of a module; a module directly below `src` stands for itself. */
function directoryOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end === -1 ? path : path.slice(0, end);
}

/** The directory directly below another that holds a module; undefined where that has none. */
function childOf(parent: string, path: string): string | undefined {
  const above = parent === '' ? '' : `${parent}/`;
  const end = path.indexOf('/', above.length);
  return path.startsWith(above) && end !== -1 ? path.slice(0, end) : undefined;
}

const areaOf = (path: string) => path.split('/', 1)[0] ?? '';

/** Whether a module is below one of the directories. */
const isBelow = (path: string, directories: readonly string[] = []) =>
  directories.some((directory) => path.startsWith(`${directory}/`));

function isAllowed(path: string, {target, own, typeOnly, dynamic}: Import): boolean {
  const from = areaOf(path);
  if (own) {
    const to = areaOf(target);
    const {values = [], types = [], dynamic: later = []} = areas[from] ?? {};
    const kinds = [values, ...(typeOnly ? [types] : []), ...(dynamic ? [later] : [])];
    return to === from || kinds.flat().includes(to);
  }
  // A package's types cost nothing, and the compiler finds those that are not installed.
  if (typeOnly) return true;
  if (target.startsWith('node:')) return pureModules[from]?.includes(target) ?? true;
  return isBelow(path, packages[target]);
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

  it('test/architecture/layers.ts has an entry for every area, and for no other', () => {
    const found = new Set(files.map(({path}) => areaOf(path)));
    expect(Object.keys(areas).sort()).to.deep.equal([...found].sort());
  });

  it('import only what test/architecture/layers.ts allows their areas', () => {
    const refused = files.flatMap(({path, imports}) =>
      imports
        .filter((imported) => !isAllowed(path, imported))
        .map(({target, typeOnly}) => `${path}: ${typeOnly ? 'type ' : ''}${target}`),
    );
    const advice =
      'Allow it in test/architecture/layers.ts if the layers of ARCHITECTURE.md and the start-up time do';
    expect(refused, advice).to.deep.equal([]);
  });

  it('test/architecture/layers.ts allows nothing that no module uses', () => {
    const uses = (area: string, is: (imported: Import) => boolean) =>
      files.some(({path, imports}) => areaOf(path) === area && imports.some(is));
    const idle = [
      ...Object.entries(areas).flatMap(([area, {values, types = [], dynamic = []}]) => [
        ...values.filter((to) => !uses(area, (one) => areaOf(one.target) === to && !one.typeOnly)),
        ...types.filter((to) => !uses(area, (one) => areaOf(one.target) === to && one.typeOnly)),
        ...dynamic.filter((to) => !uses(area, (one) => areaOf(one.target) === to && one.dynamic)),
      ]),
      ...Object.entries(pureModules).flatMap(([area, modules]) =>
        modules.filter((module) => !uses(area, ({target}) => target === module)),
      ),
      ...Object.entries(packages).flatMap(([name, directories]) =>
        directories.filter(
          (directory) =>
            !files.some(
              ({path, imports}) =>
                isBelow(path, [directory]) && imports.some(({target}) => target === name),
            ),
        ),
      ),
    ];
    expect(idle, 'Remove these from test/architecture/layers.ts').to.deep.equal([]);
  });

  it('has no import cycle', () => {
    expect(findCycle(files)).to.equal(undefined);
  });

  it('have no cycle among directories that are beside each other', () => {
    const parents = new Set(['', ...files.map(({path}) => directoryOf(path))]);
    for (const parent of parents) {
      const children = new Map<string, Import[]>();
      for (const {path, imports} of files) {
        const from = childOf(parent, path);
        if (from === undefined) continue;
        const others = imports.flatMap((one) => {
          const target = one.own ? childOf(parent, one.target) : undefined;
          return target === undefined || target === from ? [] : [{...one, target}];
        });
        children.set(from, [...(children.get(from) ?? []), ...others]);
      }
      const nodes = [...children].map(([path, imports]) => ({path, text: '', imports}));
      expect(findCycle(nodes)).to.equal(undefined);
    }
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

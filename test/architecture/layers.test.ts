import {dirname} from 'node:path';
import {expect} from 'chai';
import {type SourceFile, sourceFiles} from '../support/sources.js';
import {areas, lazyAreas, packages} from './layers.js';

const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** The longest entry of the table that a module is below, or else the entry that it should have. */
const areaOf = (path: string) =>
  Object.keys(areas)
    .filter((area) => isBelow(path, area))
    .sort((left, right) => right.length - left.length)[0] ?? path;

/** The edges of a graph that are on a cycle or between two. */
function cyclic(edges: readonly (readonly [string, string])[]): readonly string[] {
  const origins = new Set(edges.map(([from]) => from));
  const targets = new Set(edges.map(([, to]) => to));
  const left = edges.filter(([from, to]) => targets.has(from) && origins.has(to));
  return left.length < edges.length ? cyclic(left) : left.map((edge) => edge.join(' → '));
}

describe('the layers of src', () => {
  const files = sourceFiles();
  const imports = files.flatMap(({path, imports: all}) => all.map((one) => ({path, ...one})));
  const own = imports.filter((one) => one.own);
  const crossing = own
    .map((one) => ({...one, from: areaOf(one.path), to: areaOf(one.target)}))
    .filter(({from, to}) => from !== to);
  const named = ({path, target}: {path: string; target: string}) => `${path}: ${target}`;

  it('import what test/architecture/layers.ts allows their areas, and it allows nothing else', () => {
    const refused = crossing.filter(({from, to}) => !areas[from]?.includes(to));
    expect(refused.map(named)).to.deep.equal([]);
    const idle = Object.entries(areas).flatMap(([from, allowed]) =>
      allowed
        .filter((to) => !crossing.some((one) => one.from === from && one.to === to))
        .map((to) => `${from}: ${to}`),
    );
    expect(idle).to.deep.equal([]);
  });

  it('load the service, the stores and the conformance suite only when they are needed', () => {
    const early = crossing.filter(
      ({from, to, dynamic, typeOnly}) =>
        lazyAreas.includes(to) && !lazyAreas.includes(from) && !dynamic && !typeOnly,
    );
    expect(early.map(named)).to.deep.equal([]);
  });

  it('import each package where test/architecture/layers.ts says, and nowhere else', () => {
    const foreign = imports.filter(
      (one) => !one.own && !one.typeOnly && !one.target.startsWith('node:'),
    );
    const isAllowed = (path: string, target: string) =>
      packages[target]?.some((place) => isBelow(path, place)) ?? false;
    expect(foreign.filter(({path, target}) => !isAllowed(path, target)).map(named)).to.deep.equal(
      [],
    );
  });

  it('have no cycle among modules, and none among the areas', () => {
    expect(cyclic(own.map(({path, target}) => [path, target]))).to.deep.equal([]);
    expect(cyclic(crossing.map(({from, to}) => [from, to]))).to.deep.equal([]);
  });

  it('have at most twenty entries in a directory', () => {
    const ancestors = (path: string): readonly string[] =>
      path === '.' ? [path] : [path, ...ancestors(dirname(path))];
    const entries = [...new Set(files.flatMap(({path}) => ancestors(path)))];
    const large = entries.filter(
      (directory) =>
        entries.filter((entry) => entry !== '.' && dirname(entry) === directory).length > 20,
    );
    expect(large).to.deep.equal([]);
  });

  it('use neither the process, the clock nor randomness where they describe, decide or render', () => {
    const pure = files.filter(({path}) =>
      /^(contract|domain|report\/formats|terminal\/(formats|table))\/|\/(view|text)\.ts$/.test(
        path,
      ),
    );
    const impure = pure.filter(({text}) =>
      /\bprocess\.|\bDate\.now\b|\bMath\.random\b|\bconsole\./.test(text),
    );
    expect(impure.map(({path}) => path)).to.deep.equal([]);
  });

  it('state paths, header names and media types in the contract alone', () => {
    const stated =
      /\/api\/connectors|create-token['"`]|['"`]idempotency-key['"`]|application\/problem\+json/i;
    const outside = files.filter(
      ({path, text}: SourceFile) =>
        // The conformance suite quotes the interface in its checks and their descriptions.
        !/^(contract|conformance)\//.test(path) && stated.test(text),
    );
    expect(outside.map(({path}) => path)).to.deep.equal([]);
  });
});

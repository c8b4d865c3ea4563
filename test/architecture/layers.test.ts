import {expect} from 'chai';
import {cyclic, sourceFiles} from '../support/sources.js';
import {features, layers, lazyLayers, shared} from './layers.js';

/** Modules outside `src` that types come from. */
const generated = ['oclif.manifest.json'];

const areas = ['commands', ...Object.keys({...layers, ...features}), ...shared];

/** The innermost area of a module; for one outside of the areas its path, which may import nothing. */
const areaOf = (path: string) =>
  areas
    .filter((area) => path === area || path.startsWith(`${area}/`))
    // A directory of `connector` must be listed: the shared part has files alone.
    .filter((area) => area !== 'connector' || /^connector\/[^/]+$/.test(path))
    .sort((left, right) => right.length - left.length)[0] ?? path;

/** The areas that an area may import. */
function allowed(from: string): readonly string[] {
  const below = [...Object.keys(layers), ...shared];
  if (from === 'commands') return [...below, ...Object.keys(features)];
  if (shared.includes(from)) return below.slice(0, below.indexOf(from));
  return layers[from] ?? (features[from] ? [...below, ...features[from]] : []);
}

describe('the areas of src', () => {
  const imports = sourceFiles()
    .flatMap(({path, imports}) => imports.map((one) => ({path, ...one})))
    .filter(({own}) => own);
  const crossing = imports
    .map((one) => ({...one, from: areaOf(one.path), to: areaOf(one.target)}))
    .filter(({from, to}) => from !== to && !generated.includes(to));
  const named = ({path, target}: {path: string; target: string}) => `${path}: ${target}`;

  it('import only what test/architecture/layers.ts allows', () => {
    const refused = crossing.filter(({from, to}) => !allowed(from).includes(to));
    expect(refused.map(named)).to.deep.equal([]);
  });

  it('import everything that test/architecture/layers.ts names', () => {
    const idle = Object.entries({...layers, ...features}).flatMap(([from, allowed]) =>
      allowed
        .filter((to) => !crossing.some((one) => one.from === from && one.to === to))
        .map((to) => `${from}: ${to}`),
    );
    expect(idle).to.deep.equal([]);
  });

  it('load the service, the stores and the conformance suite only when they are needed', () => {
    const isLazy = (area: string) => lazyLayers.includes(area);
    const atStart = crossing.filter(({dynamic, typeOnly}) => !dynamic && !typeOnly);
    const early = atStart.filter(({from, to}) => isLazy(to) && !isLazy(from));
    expect(early.map(named)).to.deep.equal([]);
  });

  it('leave stdout, stderr, signals and the exit code to src/cli/process, but for the prompt', () => {
    const owned =
      /^(?!\s*(\*|\/\/)).*(process\.(stdout|stderr|exit)\b|process\.exitCode|'SIG[A-Z]+', \w+\))/m;
    const touching = sourceFiles().filter(({text}) => owned.test(text));
    const paths = touching.map(({path}) => path).filter((path) => !path.startsWith('cli/process/'));
    expect(paths).to.deep.equal(['terminal/prompt.ts']);
  });

  it('keep variables of modules only where the module gives a reason', () => {
    const variable = /^(export )?(let |var |const \w+(: \S+)? = new (Map|Set|WeakMap)(<.*>)?\(\))/m;
    const paths = sourceFiles().filter(({text}) => variable.test(text));
    expect(paths.map(({path}) => path)).to.deep.equal(['cli/version.ts', 'domain/timestamp.ts']);
  });

  it('have no cycle, and neither have their modules', () => {
    expect(cyclic(imports.map(({path, target}) => [path, target]))).to.deep.equal([]);
    expect(cyclic(crossing.map(({from, to}) => [from, to]))).to.deep.equal([]);
  });
});

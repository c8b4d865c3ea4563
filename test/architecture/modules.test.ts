import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root, type SourceFile, sourceFiles} from '../support/sources.js';
import {packages} from './packages.js';

const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

describe('the modules of src', () => {
  const files = sourceFiles();
  const imports = files.flatMap(({path, imports: all}) => all.map((one) => ({path, ...one})));
  const named = ({path, target}: {path: string; target: string}) => `${path}: ${target}`;

  it('import each package where test/architecture/packages.ts says, and nowhere else', () => {
    const foreign = imports.filter(
      (one) => !one.own && !one.typeOnly && !one.target.startsWith('node:'),
    );
    const isAllowed = (path: string, target: string) =>
      packages[target]?.users.some((place) => isBelow(path, place)) ?? false;
    expect(foreign.filter(({path, target}) => !isAllowed(path, target)).map(named)).to.deep.equal(
      [],
    );
  });

  it('use neither the process, the clock nor randomness where they describe, decide or render', () => {
    const pure = files.filter(({path}) =>
      /^(contract|domain|report\/formats|terminal\/(formats|table))\/|^terminal\/errors\.ts|\/(view|text)\.ts$/.test(
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

describe('the directories of src and test', () => {
  it('have at most 20 entries each', () => {
    const below = ['src', 'test'].flatMap((top) =>
      readdirSync(join(root, top), {recursive: true, withFileTypes: true}),
    );
    const directories = below
      .filter((entry) => entry.isDirectory())
      .map(({parentPath, name}) => join(parentPath, name));
    const all = [join(root, 'src'), join(root, 'test'), ...directories];
    expect(all.filter((directory) => readdirSync(directory).length > 20)).to.deep.equal([]);
  });
});

import {readdirSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {expect} from 'chai';
import {aliases, versions} from '../../scripts/build/aliases.js';
import {root} from '../support/sources.js';

const requireHere = createRequire(import.meta.url);
const oclifPath = (name: string) => join(root, 'node_modules/@oclif/core/lib', name);

describe('the aliases of the bundle', () => {
  for (const [name, version] of Object.entries(versions)) {
    it(`were checked against the installed version of ${name}`, () => {
      const pjson = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
      const advice = `check the aliases of ${name}, then put its version into scripts/build/aliases.ts`;
      expect(JSON.parse(pjson).version, advice).to.equal(version);
    });
  }

  it('use every file in the directory of aliases', () => {
    const defined = ['list-format.ts', 'monotonic-now.ts'];
    const used = [...new Set(aliases.map(({by}) => by)), ...defined].sort();
    expect(readdirSync(join(root, 'scripts/bundle/alias')).sort()).to.deep.equal(used);
  });

  for (const [alias, real] of [
    ['oclif-fs', 'util/fs.js'],
    ['oclif-module-loader', 'module-loader.js'],
    ['oclif-os', 'util/os.js'],
    ['oclif-ts-path', 'config/ts-path.js'],
  ] as const) {
    it(`have all exports of the replaced module in ${alias}`, () => {
      const text = readFileSync(join(root, `scripts/bundle/alias/${alias}.ts`), 'utf8');
      for (const name of Object.keys(requireHere(oclifPath(real)))) {
        expect(text, name).to.match(new RegExp(`\\b${name}\\b`));
      }
    });
  }
});

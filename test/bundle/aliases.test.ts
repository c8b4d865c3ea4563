import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {expect} from 'chai';
import {aliases, versions} from '../../scripts/build/aliases.js';
import ejsAlias from '../../scripts/bundle/alias/ejs.js';
import {LazyListFormat} from '../../scripts/bundle/alias/list-format.js';
import {monotonicNow} from '../../scripts/bundle/alias/monotonic-now.js';
import * as oclifFs from '../../scripts/bundle/alias/oclif-fs.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const requireHere = createRequire(import.meta.url);
const ejs: typeof ejsAlias = requireHere('ejs');
const oclifPath = (name: string) => join(root, 'node_modules/@oclif/core/lib', name);

describe('the aliases of the bundle', () => {
  for (const [name, version] of Object.entries(versions)) {
    it(`were checked against the installed version of ${name}`, () => {
      const pjson = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
      const advice = `check the aliases of ${name}, then put its version into scripts/build/aliases.ts`;
      expect(JSON.parse(pjson).version, advice).to.equal(version);
    });
  }

  it('have a checked version for every package that they replace or whose imports they replace', () => {
    const packages = aliases.flatMap(({module, importer}) => [module, importer]);
    const names = packages.filter((name) => !/^\/|^node:|^connectorctl$/.test(name));
    expect(Object.keys(versions)).to.include.members(names);
  });

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

describe('the alias of ejs', () => {
  // The bundle is CommonJS.
  before(() => Object.assign(globalThis, {require: requireHere}));
  after(() => Reflect.deleteProperty(globalThis, 'require'));

  const data = {config: {bin: 'connectorctl', odd: 'a & b'}, command: {id: 'token create'}};
  for (const template of [
    'plain',
    '<%= config.bin %> <%= command.id %>',
    '<%- config.bin %>x',
    'escaped: <%= config.odd %>, raw: <%- config.odd %>',
    '<%= config.bin.toUpperCase() %> and <%= command.id %>',
    '<% if (config.bin) { %>yes<% } %>',
    "100 % of <b>it's</b>",
  ]) {
    it(`renders ${JSON.stringify(template)} as ejs does`, () => {
      expect(ejsAlias.render(template, data)).to.equal(ejs.render(template, data));
    });
  }
});

describe('the alias of Intl.ListFormat', () => {
  it('formats lists like Intl.ListFormat', () => {
    for (const type of ['conjunction', 'disjunction'] as const) {
      const options = {style: 'long', type} as const;
      const list = ['a', 'b', 'c'];
      const real = new Intl.ListFormat('en', options).format(list);
      expect(new LazyListFormat('en', options).format(list)).to.equal(real);
    }
  });
});

describe('the alias of performance.now', () => {
  it('counts milliseconds and never goes backwards', () => {
    // Each interval of the one clock is within or around that of the other, however long the process pauses.
    const outer = performance.now();
    const first = monotonicNow();
    const inner = performance.now();
    while (performance.now() < inner + 2);
    const least = performance.now() - inner;
    const passed = monotonicNow() - first;
    const most = performance.now() - outer;
    expect(passed).to.be.within(least - 0.1, most + 0.1);
  });
});

describe("the alias of oclif's file helpers", () => {
  const path = temporaryDirectory();
  const real: typeof oclifFs = requireHere(oclifPath('util/fs.js'));
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      (value) => ({value}),
      (error: Error & {code?: string}) => ({message: error.message, code: error.code}),
    );

  it('reads no theme', async () => {
    expect(await oclifFs.safeReadJson()).to.equal(undefined);
  });

  it('returns the same results and errors as the originals', async () => {
    writeFileSync(path('good.json'), '{"a": 1}');
    writeFileSync(path('bad.json'), '{');
    for (const name of ['good.json', 'bad.json', 'none.json', '.']) {
      for (const helper of ['readJson', 'dirExists', 'fileExists'] as const) {
        const [ours, theirs] = [oclifFs, real].map((fs) => outcome(fs[helper](path(name))));
        const {message: _, ...rest} = (await ours) as {message?: string};
        expect(await theirs, `${helper} ${name}`).to.deep.include(rest);
      }
    }
  });
});

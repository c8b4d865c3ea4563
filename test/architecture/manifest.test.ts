import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect} from 'chai';
import {commandPages} from '../../scripts/command-pages.js';
import {referencePages, tables, withCurrentTables} from '../../scripts/reference-tables.js';
import {letters} from '../../src/flags.js';
import {root, sourceFiles} from '../support/sources.js';
import {documents} from './documents.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the generated tables of the documents', () => {
  for (const page of referencePages) {
    it(`${page} matches the code (npm run docs rewrites it)`, () => {
      expect(read(page), 'Run: npm run docs').to.equal(withCurrentTables(read(page)));
    });
  }

  it('each stand on exactly one page, between <!-- table: NAME --> and <!-- end -->', () => {
    const markers = documents.flatMap(({text}) =>
      [...text.matchAll(/<!-- table: ([\w -]+) -->\n/g)].map(([, name]) => name),
    );
    const advice =
      'Write <!-- table: NAME --> and <!-- end --> where the table belongs; then run npm run docs.';
    expect(markers.sort(), advice).to.deep.equal(Object.keys(tables).sort());
  });
});

describe('the pages of the commands', () => {
  it('are one for each command', () => {
    expect(commandPages.filter((page) => !existsSync(join(root, page)))).to.deep.equal([]);
  });
});

describe('the documents', () => {
  /** A build or the reader makes these. */
  const isMade = (path: string) =>
    /^(\.cache|dist(-executable)?|contrib\/docker\/tls)\//.test(path);
  const directories = readdirSync(root).filter((name) => name !== 'node_modules');
  const isOurs = (path: string) => directories.includes(path.split('/')[0] ?? '');

  for (const {path, text} of documents) {
    it(`${path} names only files that exist`, () => {
      // Words in capitals stand for a name: `src/commands/TOPIC/NAME.ts`.
      const named = [...text.matchAll(/(?:`|<!-- run by )(\.?[\w-]+\/[\w@./-]*)(?:`| -->)/g)]
        .map(([, name = '']) => name)
        .filter((name) => isOurs(name) && !isMade(name) && !/\/[A-Z]+[/.]/.test(name));
      expect(named.filter((name) => !existsSync(join(root, name)))).to.deep.equal([]);
    });

    it(`${path} links only to files and headings that exist`, () => {
      const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
      const broken = links.filter(([, target = '', heading]) => {
        const file = target === '' ? path : join(dirname(path), target);
        if (!existsSync(join(root, file))) return true;
        return heading !== undefined && !anchors(read(file)).includes(heading);
      });
      expect(broken.map(([link]) => link)).to.deep.equal([]);
    });
  }
});

/** The anchors that GitHub makes of a page's headings. */
function anchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the manifest', () => {
  it('has every command and no other, and the version of package.json', () => {
    const manifest = JSON.parse(read('oclif.manifest.json')) as {
      version: string;
      commands: Record<string, unknown>;
    };
    const commands = sourceFiles()
      .filter(({path}) => path.startsWith('commands/'))
      .map(({path}) => path.slice('commands/'.length, -'.ts'.length).replaceAll('/', ':'));
    expect(Object.keys(manifest.commands).sort()).to.deep.equal(commands.sort());
    expect(manifest.version).to.equal(JSON.parse(read('package.json')).version);
  });
});

describe('SECURITY.md', () => {
  it('quotes only tests that exist', () => {
    const quotes = [...read('SECURITY.md').matchAll(/^- `(test[^`]+)`: "([^"]+)"$/gm)];
    expect(quotes).to.have.length.above(20);
    const missing = quotes.filter(([, path = '', title = '']) => !read(path).includes(title));
    expect(missing.map(([quote]) => quote)).to.deep.equal([]);
  });
});

describe('the variables of the program', () => {
  it('are all on a page', () => {
    const source = sourceFiles().map(({text}) => text);
    const named = new Set(source.join('\n').match(/\bCONNECTORCTL_[A-Z_]*[A-Z]\b(?!_)/g));
    const pages = documents.map(({text}) => text).join('\n');
    expect(named.size).to.be.above(30);
    expect([...named].filter((name) => !pages.includes(`${name}\``))).to.deep.equal([]);
  });
});

describe('the descriptions of the commands', () => {
  it('have at most two sentences: what is longer stands on the page of the command', () => {
    const {commands} = JSON.parse(read('oclif.manifest.json')) as {
      commands: Record<string, {description?: string}>;
    };
    const described = Object.entries(commands).map(([id, {description = ''}]) => ({
      id,
      sentences: description.split(/[.!?]\s+|\n+/).length,
    }));
    expect(described.filter(({sentences}) => sentences === 2)).to.have.length.above(10);
    expect(described.filter(({sentences}) => sentences > 2)).to.deep.equal([]);
  });
});

describe('the letters of the flags', () => {
  const {commands} = JSON.parse(read('oclif.manifest.json')) as {
    commands: Record<string, {flags: Record<string, {name: string; char?: string}>}>;
  };
  const used = Object.entries(commands).flatMap(([id, {flags}]) =>
    Object.values(flags).flatMap(({name, char}) => (char === undefined ? [] : [{id, name, char}])),
  );

  it('are exactly those of the table in src/flags.ts', () => {
    const found = Object.fromEntries(used.map(({name, char}) => [name, char]));
    expect(found).to.deep.equal({...letters});
  });

  it('each stand for one flag in all commands, and never for --help or --version', () => {
    const all = Object.values(letters);
    expect(new Set(all).size).to.equal(all.length);
    expect(all).not.to.include('h').and.not.include('v');
  });
});

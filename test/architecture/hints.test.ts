import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root, sourceFiles} from '../support/sources.js';

const topics = readdirSync(join(root, 'src', 'commands')).map((name) => name.replace(/\.ts$/, ''));
const commandLine = new RegExp(
  `(^|[^\\w-])--[a-z]|\\bconnectorctl (${topics.join('|')})\\b|\\bCONNECTORCTL_`,
);

/** The code of a module, without its comments: where it names the command line, a string does. */
function codeOf(text: string): string {
  return text.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$/gm, '');
}

describe('the modules of client, server and store', () => {
  const files = sourceFiles();
  const naming = (text: string) =>
    codeOf(text)
      .split('\n')
      .filter((line) => commandLine.test(line));

  for (const {path, text} of files) {
    if (!/^(client|server|store)\//.test(path)) continue;
    it(`${path} advises no flag, command or variable of the command line`, () => {
      expect(naming(text)).to.deep.equal([]);
    });
  }
});

import {expect} from 'chai';
import {jsonRequested} from '../../src/cli/output-mode.js';

describe('whether a command line asks for JSON', () => {
  for (const line of ['--json', '-o json', '-ojson', '-o=json', '--output json', '--output=json']) {
    it(`does with ${line}`, () => {
      const words = ['connector', 'list', ...line.split(' ')];
      expect(jsonRequested(words)).to.equal(true);
      expect(jsonRequested(words, 'yaml')).to.equal(true);
    });
  }

  for (const line of ['', '-o yaml', '--output=id', '-o', '-- --json', '-- -o json', 'json']) {
    it(`does not with "${line}"`, () => {
      expect(jsonRequested(line.split(' '))).to.equal(false);
    });
  }

  it('falls back on the environment, which a flag beats', () => {
    expect(jsonRequested(['get', 'x'], 'json')).to.equal(true);
    expect(jsonRequested(['get', 'x'], 'yaml')).to.equal(false);
    expect(jsonRequested(['get', 'x', '-o', 'id'], 'json')).to.equal(false);
  });

  it('goes by --json above all', () => {
    expect(jsonRequested(['--json', '-o', 'id'])).to.equal(true);
  });
});

import {expect} from 'chai';
import {jsonRequested} from '../../../src/cli/errors/output-mode.js';

describe('jsonRequested', () => {
  for (const line of [
    '--json',
    '-o json',
    '-ojson',
    '-o=json',
    '--output json',
    '--output=json',
    '-qo json',
    '-qwojson',
  ]) {
    it(`is true with ${line}`, () => {
      const words = ['connector', 'list', ...line.split(' ')];
      expect(jsonRequested(words)).to.equal(true);
      expect(jsonRequested(words, 'yaml')).to.equal(true);
    });
  }

  for (const line of [
    '',
    '-o yaml',
    '--output=id',
    '-o',
    '-- --json',
    '-- -o json',
    'json',
    '-no json',
    '-n -qo=yaml',
  ]) {
    it(`is false with "${line}"`, () => {
      expect(jsonRequested(line.split(' '))).to.equal(false);
    });
  }

  it('uses the environment variable unless a flag overrides it', () => {
    expect(jsonRequested(['get', 'x'], 'json')).to.equal(true);
    expect(jsonRequested(['get', 'x'], 'yaml')).to.equal(false);
    expect(jsonRequested(['get', 'x', '-o', 'id'], 'json')).to.equal(false);
  });

  it('is true when --json contradicts --output', () => {
    expect(jsonRequested(['--json', '-o', 'id'])).to.equal(true);
  });
});

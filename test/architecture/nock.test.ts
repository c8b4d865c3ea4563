import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root} from '../support/sources.js';

describe('nock, which patches the whole process', () => {
  it('is loaded only by tests below test/commands, which run in a separate process', () => {
    const directory = join(root, 'test');
    const loading = readdirSync(directory, {recursive: true, encoding: 'utf8'})
      .filter((path) => /\.(test|spec)\.ts$/.test(path))
      .filter((path) => {
        const text = readFileSync(join(directory, path), 'utf8');
        return /from '(nock|.*\/nocked-service\.js)'/.test(text);
      });
    expect(loading).not.to.deep.equal([]);
    expect(loading.filter((path) => !path.startsWith('commands/'))).to.deep.equal([]);
  });
});

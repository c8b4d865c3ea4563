import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {root} from '../support/sources.js';

describe('nock, which patches the whole process', () => {
  it('is loaded only by tests below test/commands, which run in a separate process', () => {
    const directory = join(root, 'test');
    const loading = readdirSync(directory, {recursive: true, encoding: 'utf8'})
      .filter((path) => /\.(test|spec)\.ts$/.test(path))
      .filter((path) => /from '(nock|.*\/nocked-service\.js)'/.test(read(join(directory, path))));
    expect(loading).not.to.deep.equal([]);
    expect(loading.filter((path) => !path.startsWith('commands/'))).to.deep.equal([]);
  });
});

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

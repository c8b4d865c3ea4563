import {expect} from 'chai';
import {describeStore} from '../../src/store/open.js';

describe('the name of a store', () => {
  it('is its path', async () => {
    expect(await describeStore('./a store')).to.equal('./a store');
  });

  it('has no password in it, nor a user', async () => {
    const urls = [
      'postgres://anna:hunter2@db.example:5433/connectors?sslmode=require',
      'postgresql://db.example:5433/connectors?user=anna&password=hunter2',
    ];
    for (const url of urls) {
      expect(await describeStore(url)).to.equal('PostgreSQL db.example:5433/connectors');
    }
  });
});

import {expect} from 'chai';
import {describeStore} from '../../src/store/open.js';

describe('describeStore', () => {
  it('returns the path of a JSON file store', async () => {
    expect(await describeStore('./a store')).to.equal('./a store');
  });

  it('returns neither user nor password of a database', async () => {
    const url = 'postgres://anna:hunter2@db.example:5433/connectors?sslmode=require';
    expect(await describeStore(url)).to.equal('PostgreSQL db.example:5433/connectors');
  });
});

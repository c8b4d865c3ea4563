import {expect} from 'chai';
import {shownStore, typedStore} from '../../src/admin/admin.js';

describe('the location of a store', () => {
  const url = 'postgres://app:s3cret@db.example/connectors';

  it('is shown and typed without the login of a database', async () => {
    expect(await shownStore(url)).to.equal('PostgreSQL db.example:5432/connectors');
    expect(await typedStore(url)).to.equal('URL');
  });

  it('is shown and typed as it is for a directory', async () => {
    expect(await shownStore('/srv/store')).to.equal('/srv/store');
    expect(await typedStore('store')).to.equal('store');
    expect(await typedStore(undefined)).to.equal(undefined);
  });
});

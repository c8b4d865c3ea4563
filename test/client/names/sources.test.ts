import {expect} from 'chai';
import {documented} from '../../support/values/documented.js';

/** The least number of services in each table. */
const tables = {connectors: 12, errors: 30, paging: 60, times: 12} as const;

describe('the table of documented names', () => {
  for (const [table, least] of Object.entries(tables)) {
    it(`of ${table} has at least ${least} services, each with a version and a source`, () => {
      const rows = documented(table as keyof typeof tables);
      const services = new Set(rows.map(({service}) => service.replace(/,.*/, '')));
      expect(services.size).to.be.at.least(least);
      for (const {version, source} of rows) {
        expect(version).to.not.equal('');
        expect(source).to.match(/^(https?:\/\/|npm:|docs\/|run: )/);
      }
    });
  }
});

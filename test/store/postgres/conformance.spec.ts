import {makeTestDatabase} from '../../support/postgres.js';
import {describeServedConformance} from '../../support/store/served-conformance.js';

describeServedConformance('PostgreSQL', async () => {
  const {url, query, drop} = await makeTestDatabase();
  const tables = ['api_keys', 'activation_tokens', 'connectors', 'store_info'];
  const rows = (table: string) =>
    query<{row: object}>(`SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${table} t ORDER BY 1`);
  return {
    location: url,
    async records() {
      const all = [];
      for (const table of tables) all.push(await rows(table));
      return all;
    },
    remove: drop,
  };
});

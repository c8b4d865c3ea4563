import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describeServedConformance} from '../support/store/served-conformance.js';

/** The store's files, without the lines about the last use of a key. */
function files(directory: string) {
  return readdirSync(directory, {withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map(({name}) => {
      const lines = readFileSync(join(directory, name), 'utf8').split('\n');
      return {
        name,
        lines: lines.filter(
          (line) => !/^\{"crc":"\w+","apiKeys":\[[^[\]]*"lastUsedAt":\d+\}\]\}$/.test(line),
        ),
      };
    });
}

describeServedConformance('a store directory', async (directory) => {
  const location = join(directory, 'store');
  return {location, records: async () => files(location), remove: async () => {}};
});

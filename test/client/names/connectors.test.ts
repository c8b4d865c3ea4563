import {expect} from 'chai';
import {connectorNames, credentialNames} from '../../../src/client/names/connectors.js';
import {readActivation} from '../../../src/client/read/responses.js';
import type {Json} from '../../../src/domain/json.js';
import {type Documented, documented, undocumented} from '../../support/values/documented.js';

/** The response in which a service hands out an id or a credential. */
interface Row extends Documented {
  readonly body: Json;
  /** The id that is read; null where the service has no connector, or names it otherwise. */
  readonly id: string | null;
  /** The field of the credential, with dots between the levels; null without one. */
  readonly field: string | null;
}

const rows = documented<Row>('connectors');

describe('the response to an activation in the words of', () => {
  for (const {service, version, body, id, field} of rows) {
    it(`${service} (${version}) has ${field ? `its credential in \`${field}\`` : 'no credential'}, and ${id ? `the id ${id}` : 'no id'}`, () => {
      const {connector, credential} = readActivation(body, 'the-activation-token');
      expect(connector?.id ?? null).to.equal(id);
      expect(credential?.field ?? null).to.equal(field);
    });
  }
});

describe('the table of the names of the id and the credential', () => {
  it('names a service for each name', () => {
    const names = [...connectorNames.id, ...Object.values(credentialNames).flat()];
    const bodies = rows.map(({body}) => body).filter((body) => typeof body === 'object');
    expect(undocumented(names, bodies as object[])).to.deep.equal([]);
  });
});

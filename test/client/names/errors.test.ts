import {expect} from 'chai';
import {readServiceError, reportedError} from '../../../src/client/errors/error-shapes.js';
import {errorNames} from '../../../src/client/names/errors.js';
import {type Documented, documented, undocumented} from '../../support/values/documented.js';

/** An error response of a framework or a service. */
interface Row extends Documented {
  /** A text, or JSON. */
  readonly body: unknown;
  /** The reason that it shows; null where it says no more than its status. */
  readonly message: string | null;
  /** Other parts: the code, the id of the request. */
  readonly parts?: object;
}

const rows = documented<Row>('errors');

describe('the reason in a documented error response of', () => {
  for (const {service, version, body, message, parts = {}} of rows) {
    it(`${service} (${version}) is ${message === null ? 'not a repeated status' : `"${message}"`}`, () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const read = readServiceError({body: Buffer.from(text)});
      expect(read.message ?? null).to.equal(message);
      expect(read).to.include(parts);
    });
  }
});

describe('the table of the parts of an error', () => {
  it('names a service for each name', () => {
    const {requestIdHeaders, headings, ...parts} = errorNames;
    const bodies = rows.map(({body}) => body).filter((body) => typeof body === 'object');
    expect(undocumented(Object.values(parts).flat(), bodies as object[])).to.deep.equal([]);
    const texts = rows.map(({body}) => String(body)).join();
    expect(headings.filter((heading) => !texts.includes(heading))).to.deep.equal([]);
  });
});

describe('a response with a status of success', () => {
  it('reports no error where its code is 0', () => {
    const body = {error: 0, message: 'success', data: [{id: 'a'}]};
    expect(reportedError(body, 'list')).to.equal(undefined);
  });
});

import {readFileSync} from 'node:fs';
import {expect} from 'chai';
import {readServiceError, reportedError} from '../../../src/client/errors/error-shapes.js';

/** An error response of a framework or a service. */
interface Row {
  readonly service: string;
  readonly version: string;
  /** The page that documents it, or how it was run. */
  readonly source: string;
  /** A text, or JSON. */
  readonly body: unknown;
  /** The reason that it shows; null where it says no more than its status. */
  readonly message: string | null;
}

/** One response per line. */
const rows = readFileSync(new URL('shapes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Row => JSON.parse(line));

describe('the reason in a documented error response of', () => {
  for (const {service, version, body, message} of rows) {
    it(`${service} (${version}) is ${message === null ? 'not a repeated status' : `"${message}"`}`, () => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const read = readServiceError({body: Buffer.from(text)});
      expect(read.message ?? null).to.equal(message);
    });
  }

  it('at least thirty frameworks and services, each with a version and a source', () => {
    expect(new Set(rows.map(({service}) => service.replace(/,.*/, ''))).size).to.be.at.least(30);
    for (const {version, source} of rows) {
      expect(version).to.not.equal('');
      expect(source).to.match(/^(https:\/\/|run: )/);
    }
  });
});

describe('a response with a status of success', () => {
  it('reports no error where its code is 0', () => {
    const body = {error: 0, message: 'success', data: [{id: 'a'}]};
    expect(reportedError(body, 'list')).to.equal(undefined);
  });
});

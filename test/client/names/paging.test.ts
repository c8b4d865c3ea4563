import {expect} from 'chai';
import {paging} from '../../../src/client/names/paging.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {type Documented, documented, namesIn} from '../../support/values/documented.js';

/** What a service says on one page, beside its list. */
interface Page {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a service says whether more follows. */
interface Row extends Documented {
  /** The field of the list; empty for an array in place of an object. */
  readonly list: string;
  /** The field of an element that holds the connector; without it, the element is the connector. */
  readonly element?: string;
  /** The queries for the pages after the first; none where no response shows how to request them. */
  readonly queries: readonly string[];
  /** Two pages of two connectors, and an empty one where the service sends it. */
  readonly pages: readonly Page[];
  /** A list of two connectors. */
  readonly single: readonly Page[];
}

const rows = documented<Row>('paging');

/** A service that answers each request with the next page, and at last with the last one again. */
async function serviceOf({list, element}: Row, pages: readonly Page[], filled: number) {
  const service = await thirdPartyService((request, response, index) => {
    const at = Math.min(index, pages.length - 1);
    const ids = at < filled ? [`${at}a`, `${at}b`] : [];
    const connectors = ids.map((id) => (element ? {[element]: {id}} : {id}));
    const {body, headers} = pages[at] ?? {};
    const sent = list === '' ? connectors : {...body, [list]: connectors};
    json(sent, 200, headers)(request, response, index);
  });
  const {client} = clientWithoutDelays(service.url, {retries: 0});
  const read = async () => (await all(client.listConnectors())).map(({id}) => id);
  const queries = () => service.seen.slice(1).map(({path}) => path.split('?')[1]);
  return {read, queries};
}

describe('the documented list of', () => {
  for (const row of rows) {
    const name = `${row.service} (${row.version})`;
    const isReadable = row.queries.length > 0;
    it(`${name} ${isReadable ? 'is read to its end' : 'is an error where it has another page'}`, async () => {
      const {read, queries} = await serviceOf(row, row.pages, 2);
      if (!isReadable) {
        expect(await failure(read)).to.include({exitCode: 8, reason: 'list-incomplete'});
        return;
      }
      expect(await read()).to.deep.equal(['0a', '0b', '1a', '1b']);
      expect(queries()).to.deep.equal(row.queries);
    });

    it(`${name} is whole where all connectors are on one page`, async () => {
      const {read} = await serviceOf(row, row.single, 1);
      expect(await read()).to.deep.equal(['0a', '0b']);
    });

    it(`${name} is an error where its first page comes again and again`, async () => {
      const {read} = await serviceOf(row, row.pages.slice(0, 1), 1);
      expect(await failure(read)).to.include({exitCode: 8, reason: 'list-incomplete'});
    });
  }
});

describe('the table of the signs of paging', () => {
  const names = rows.flatMap(({pages}) => namesIn(pages));
  const lettersOf = (name: string) =>
    name
      .replace(paging.namespace, '')
      .toLowerCase()
      .replace(/[^a-z]/g, '');
  const documented = new Set(names.map(lettersOf));

  for (const [sign, pattern] of Object.entries(paging.signs)) {
    it(`names a service for each word of the sign "${sign}"`, () => {
      const isDocumented = (word: string) =>
        [...documented].some((letters) => pattern.test(letters) && letters.includes(word));
      const words = pattern.source.match(/[a-z]+/g) ?? [];
      expect(words.filter((word) => !isDocumented(word))).to.deep.equal([]);
    });
  }

  it('names a service for each namespace of headers, each parameter and each dialect', () => {
    const namespaces = paging.namespace.source.match(/[a-z]{2,}/g) ?? [];
    const isHeader = (word: string) =>
      names.some((name) => new RegExp(`^(x-)?${word}-`, 'i').test(name));
    expect(namespaces.filter((word) => !isHeader(word))).to.deep.equal([]);
    const parameters = [...paging.parameters.keys()];
    expect(parameters.filter((name) => !documented.has(name))).to.deep.equal([]);
    // The list of Feathers is in `data`.
    const own = paging.dialects.flatMap(([fields]) => fields.source.match(/[a-z]{2,}/gi) ?? []);
    expect(own.filter((name) => name !== 'data' && !names.includes(name))).to.deep.equal([]);
  });
});

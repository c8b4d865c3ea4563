import {expect} from 'chai';
import {paging} from '../../../src/client/names/paging.js';
import {all, clientWithoutDelays, failure} from '../../support/client.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {type Documented, documented, lettersOf, namesIn} from '../../support/values/documented.js';

/** What a service says on one page, beside its list. */
interface Page {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the last element. */
  readonly last?: Readonly<Record<string, unknown>>;
}

/** How a service says whether more follows. */
interface Row extends Documented {
  /** The path of the list, such as `data.items`; empty for an array in place of an object. */
  readonly list: string;
  /** The field of an element that holds the connector; without it, the element is the connector. */
  readonly element?: string;
  /** The queries for the pages after the first; none where no response shows how to request them. */
  readonly queries: readonly string[];
  /** The field that the error names, where the pages after the first cannot be requested. */
  readonly doubt?: string;
  /** Two pages of two connectors, and an empty one where the service sends it; none for a list that is always whole. */
  readonly pages: readonly Page[];
  /** A list of two connectors. */
  readonly single: readonly Page[];
}

const rows = documented<Row>('paging');

/** A body with the list at its path. */
function bodyWith(body: Page['body'], [name, ...inner]: readonly string[], list: unknown): unknown {
  if (name === undefined) return list;
  const own = inner.length === 0 ? list : bodyWith(body?.[name] as Page['body'], inner, list);
  return {...body, [name]: own};
}

/** A service that answers each request with the next page, and at last with the last one again. */
async function serviceOf({list, element}: Row, pages: readonly Page[], filled: number) {
  const service = await thirdPartyService((request, response, index) => {
    const at = Math.min(index, pages.length - 1);
    const ids = at < filled ? [`${at}a`, `${at}b`] : [];
    const {body, headers, last} = pages[at] ?? {};
    const connectors = ids.map((id, place) =>
      element ? {[element]: {id}} : {id, ...(place === ids.length - 1 && last)},
    );
    const sent = bodyWith(body, list === '' ? [] : list.split('.'), connectors);
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
    it(`${name} is whole where all connectors are on one page`, async () => {
      const {read} = await serviceOf(row, row.single, 1);
      expect(await read()).to.deep.equal(['0a', '0b']);
    });
    if (row.pages.length === 0) continue;

    it(`${name} ${isReadable ? 'is read to its end' : 'is an error where it has another page'}`, async () => {
      const {read, queries} = await serviceOf(row, row.pages, 2);
      if (!isReadable) {
        const error = await failure(read);
        expect(error).to.include({exitCode: 8, reason: 'list-incomplete'});
        expect(error.message).to.include(row.doubt ? `see \`${row.doubt}\`` : 'see `');
        return;
      }
      expect(await read()).to.deep.equal(['0a', '0b', '1a', '1b']);
      expect(queries()).to.deep.equal(row.queries);
    });

    it(`${name} is an error where its first page comes again and again`, async () => {
      const {read} = await serviceOf(row, row.pages.slice(0, 1), 1);
      expect(await failure(read)).to.include({exitCode: 8, reason: 'list-incomplete'});
    });
  }
});

describe('the table of the signs of paging', () => {
  const names = rows.flatMap(({pages}) => namesIn(pages));
  const wordsOf = (name: string) =>
    name
      .replace(/([a-z])(?=[A-Z])/g, '$1 ')
      .toLowerCase()
      .match(paging.word) ?? [];
  const words = new Set(
    rows.flatMap(({pages, single}) => namesIn([pages, single])).flatMap(wordsOf),
  );

  for (const kind of new Set(paging.kindOf.values())) {
    it(`names a service for each word of the kind "${kind}"`, () => {
      const own = [...paging.kindOf].filter(([, its]) => its === kind).map(([word]) => word);
      expect(own.filter((word) => !words.has(word))).to.deep.equal([]);
    });
  }

  it('names a service for each namespace of headers, each parameter and each dialect', () => {
    const namespaces = paging.namespace.source.match(/[a-z]{2,}/g) ?? [];
    const isHeader = (word: string) =>
      names.some((name) => new RegExp(`^(x-)?${word}-`, 'i').test(name));
    expect(namespaces.filter((word) => !isHeader(word))).to.deep.equal([]);
    const documented = new Set(names.map((name) => lettersOf(name.replace(paging.namespace, ''))));
    const parameters = [...paging.parameters.keys()];
    expect(parameters.filter((name) => !documented.has(name))).to.deep.equal([]);
    // The list of Feathers is in `data`.
    const own = paging.dialects.flatMap(([fields]) => fields.source.match(/[a-z]{2,}/gi) ?? []);
    expect(own.filter((name) => name !== 'data' && !names.includes(name))).to.deep.equal([]);
  });
});

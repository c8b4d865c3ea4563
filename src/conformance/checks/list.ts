import {counted} from '../../domain/words.js';
import {credentialLack, type Exchange} from '../exchange.js';
import type {Listing} from '../listing.js';
import type {Table} from '../model.js';
import {type CheckOutcome, fail, pass, skip} from '../outcome.js';
import type {Session} from '../session.js';

/** Minimum UTF-16 code units of a credential to search for in a response: a shorter text may occur there by chance. */
const shortestCredential = 12;

const sizeOf = ({connectors, pages}: Listing) =>
  `${counted(connectors.length, 'connector')} on ${counted(pages, 'page')}`;

/** Evaluates a field of each connector in the list. @param allowed number of connectors that may lack it */
async function evaluateField(
  session: Session,
  field: 'id' | 'name',
  allowed: number,
): Promise<CheckOutcome> {
  const {connectors, exchange} = await session.filledListing();
  const values = connectors.map(({fields}) => fields[field]);
  const isWrong = (value: unknown) => typeof value !== 'string' || (field === 'id' && value === '');
  const wrong = values.filter(isWrong).length;
  const all = connectors.length;
  if (wrong <= allowed) return pass(`${counted(all, 'connector')} checked`, exchange);
  return fail(`${wrong} of ${all} connectors have no \`${field}\` that is a string`, exchange);
}

/** The names of the connectors of this run that a list lacks, by their ids where these are known. */
function missingFrom({connectors}: Listing, session: Session): readonly string[] {
  const ids = new Set(connectors.map(({id}) => id));
  const names = new Set(connectors.map(({fields: {name}}) => name));
  // A service may change letters beyond ASCII, which another check covers.
  const isNamed = (name: string) => names.has(name) || !/^[\w-]+$/.test(name);
  const missing = session
    .created()
    .filter(({name, id}) => !(id === undefined ? isNamed(name) : ids.has(id)));
  return missing.map(({name}) => name);
}

export const listChecks: Table = {
  '4.3/lists': {
    level: 'must',
    title: 'GET /api/connectors returns a list, with all of its pages',
    reference: '200 with a JSON array',
    async run(session) {
      const listing = await session.listing();
      const {unread, isFaulty, exchange} = listing;
      if (isFaulty) return fail(`no list: ${unread}`, exchange);
      if (unread !== undefined)
        return skip(`this suite cannot read the whole list: ${unread}`, exchange);
      return pass(sizeOf(listing), exchange);
    },
  },
  '4.3/complete': {
    level: 'must',
    title: 'The list has every connector that was activated',
    reference: 'a connector is listed as soon as it is activated',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      await session.activated();
      const listing = await session.listUntil((seen) => missingFrom(seen, session).length === 0);
      const {unread, isFaulty, exchange} = listing;
      // More connectors may mean more pages. `4.3/lists` reports a fault that the first list had.
      const isNew = isFaulty && !(await session.listing()).isFaulty;
      if (isNew) return fail(`the list can no longer be read as a whole: ${unread}`, exchange);
      if (unread !== undefined) return skip(`the list could not be read: ${unread}`, exchange);
      const lost = missingFrom(listing, session);
      const all = `the list has ${sizeOf(listing)}`;
      if (lost.length === 0) return pass(all, exchange);
      return fail(
        `missing from the list, some seconds after their activation: ${lost.join(', ')}; ${all}`,
        exchange,
      );
    },
  },
  '2/id': {
    level: 'must',
    title: 'Each connector of the list has `id`, a string',
    reference: '`con_` and a ULID',
    turn: 'several',
    run: (session) => evaluateField(session, 'id', 0),
  },
  '2/name': {
    level: 'must',
    title: 'Each connector of the list has `name`, a string',
    reference: 'the name given at activation',
    turn: 'several',
    async run(session) {
      const nameless = session.activations.filter(
        ({name, exchange}) => name === undefined && exchange.isSuccess,
      );
      return evaluateField(session, 'name', nameless.length);
    },
  },
  '4.3/unique-ids': {
    title: 'No two connectors of the list have the same id',
    source: 'interface §2: the id identifies a connector',
    reference: 'ids are unique',
    turn: 'several',
    async run(session) {
      const {connectors, exchange} = await session.filledListing();
      const ids = connectors.flatMap(({id}) => id ?? []);
      if (ids.length < 2)
        return skip(`the list has ${counted(ids.length, 'id')}, so none to compare`, exchange);
      const doubled = ids.length - new Set(ids).size;
      if (doubled === 0) return pass(counted(ids.length, 'id'), exchange);
      return fail(`${doubled} ids of the list are repeated`, exchange);
    },
  },
  '4.3/no-credentials': {
    title: 'The list, and the details of a connector, show no credential of a connector',
    reference: 'only the response to an activation has it',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      const {exchange, credential} = await session.activated();
      // A short credential, or one that equals the id or the name, may occur anywhere.
      const credentials = session.activations.flatMap((one) => {
        const {credential: value = ''} = one;
        const isOther = value !== one.id && value !== one.name;
        return isOther && value.length >= shortestCredential ? [JSON.stringify(value)] : [];
      });
      if (credentials.length === 0) return skip(credentialLack(exchange, credential), exchange);
      let leak: Exchange | undefined;
      const search = (page: Exchange) => {
        const isShown = (quoted: string) => page.response?.body.includes(quoted.slice(1, -1));
        if (credentials.some(isShown)) leak = page;
      };
      await session.readList('own', search);
      search(await session.readOne());
      if (leak === undefined) return pass('no credential of this run is shown', exchange);
      return fail('a response shows the credential of a connector of this run', leak);
    },
  },
  '4.3/isolation': {
    level: 'must',
    title: 'The list has no connector of another organization',
    reference: 'the organization of the key, and no other',
    needs: ['second-key'],
    turn: 'several',
    async run(session) {
      const own = await session.filledListing();
      const {connectors, unread, exchange} = await session.readList('second');
      if (unread !== undefined)
        return skip(`the list of the second key could not be read: ${unread}`, exchange);
      // Short ids may be numbered per organization, and so be equal by chance.
      const isMarked = (id: string, name: unknown) =>
        id.length >= 8 || String(name).includes(session.run);
      const marks = own.connectors.flatMap(({id, fields: {name}}) =>
        id !== undefined && isMarked(id, name) ? [`${id} ${name}`] : [],
      );
      if (marks.length === 0)
        return skip(
          'the connectors of the first key cannot be distinguished from others',
          own.exchange,
        );
      const shown = new Set(connectors.map(({id, fields}) => `${id} ${fields.name}`));
      const leaked = marks.filter((mark) => shown.has(mark)).length;
      if (leaked === 0) return pass('the lists of both keys have no connector in common', exchange);
      return fail(
        `the list of the second key shows ${leaked} connectors of the first; both keys may belong to one organization`,
        exchange,
      );
    },
  },
};

import {counted} from '../../domain/words.js';
import {credentialLack} from '../exchange.js';
import type {Check} from '../model.js';
import {fail, pass, skip} from '../outcome.js';

export const listChecks: readonly Check[] = [
  {
    id: '4.3/lists',
    level: 'must',
    title: 'GET /api/connectors returns a list, with all of its pages',
    source: 'interface §4.3',
    reference: '200 with a JSON array',
    async run(session) {
      const {unread, isFaulty, connectors, pages, exchange} = await session.listing();
      if (isFaulty) return fail(`no list: ${unread}`, exchange);
      if (unread !== undefined)
        return skip(`this suite cannot read the whole list: ${unread}`, exchange);
      return pass(
        `${counted(connectors.length, 'connector')} on ${counted(pages, 'page')}`,
        exchange,
      );
    },
  },
  {
    id: '4.3/complete',
    level: 'must',
    title: 'The list has every connector that was activated',
    source: 'interface §4.3',
    reference: 'a connector is listed as soon as it is activated',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      await session.activated();
      const listing = await session.listUntil(
        (seen) => session.activations.missingFrom(seen).length === 0,
      );
      const {unread, exchange, pages, connectors} = listing;
      if (unread !== undefined) return skip(`the list could not be read: ${unread}`, exchange);
      const lost = session.activations.missingFrom(listing);
      const all = `the list has ${counted(connectors.length, 'connector')} on ${counted(pages, 'page')}`;
      if (lost.length === 0) return pass(all, exchange);
      return fail(
        `missing from the list, some seconds after their activation: ${lost.join(', ')}; ${all}`,
        exchange,
      );
    },
  },
  {
    id: '2/id',
    level: 'must',
    title: 'Each connector of the list has `id`, a string',
    source: 'interface §2',
    reference: '`con_` and a ULID',
    turn: 'several',
    async run(session) {
      const {connectors, exchange} = await session.filledListing();
      const wrong = connectors.filter(
        ({fields}) => typeof fields.id !== 'string' || fields.id === '',
      );
      const [first] = wrong;
      if (first === undefined)
        return pass(`${counted(connectors.length, 'connector')} checked`, exchange);
      const found = first.fields.id === undefined ? 'no `id`' : `an \`id\` that is not a string`;
      return fail(`${wrong.length} of ${connectors.length} connectors have ${found}`, exchange);
    },
  },
  {
    id: '2/name',
    level: 'must',
    title: 'Each connector of the list has `name`, a string',
    source: 'interface §2',
    reference: 'the name given at activation',
    turn: 'several',
    async run(session) {
      const {connectors, exchange} = await session.filledListing();
      const wrong = connectors.filter(({fields}) => typeof fields.name !== 'string');
      if (wrong.length <= session.activations.nameless)
        return pass(`${counted(connectors.length, 'connector')} checked`, exchange);
      return fail(
        `${wrong.length} of ${connectors.length} connectors have no \`name\` that is a string`,
        exchange,
      );
    },
  },
  {
    id: '4.3/unique-ids',
    level: 'should',
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
  {
    id: '4.3/no-credentials',
    level: 'should',
    title: 'The list, and the details of a connector, show no credential of a connector',
    source: 'security practice',
    reference: 'only the response to an activation has it',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      await session.filledListing();
      await session.readOne();
      const {exchange, credential} = await session.activated();
      if (!session.hasCredentials) return skip(credentialLack(exchange, credential), exchange);
      const [leak] = session.leaks;
      if (leak === undefined) return pass('no credential of this run is shown', exchange);
      return fail('a response shows the credential of a connector of this run', leak);
    },
  },
  {
    id: '4.3/isolation',
    level: 'must',
    title: 'The list has no connector of another organization',
    source: 'interface §1, §4.3',
    reference: 'the organization of the key, and no other',
    needs: ['second-key'],
    turn: 'several',
    async run(session) {
      const own = await session.filledListing();
      const other = await session.readList('second');
      if (other.unread !== undefined)
        return skip(
          `the list of the second key could not be read: ${other.unread}`,
          other.exchange,
        );
      // Short ids may be counted per organization, and so be equal by chance.
      const marks = own.connectors.flatMap(({id, fields: {name}}) =>
        id === undefined || (id.length < 8 && !String(name).includes(session.run))
          ? []
          : [`${id} ${name}`],
      );
      if (marks.length === 0)
        return skip(
          'the connectors of the first key cannot be distinguished from others',
          own.exchange,
        );
      const shown = new Set(other.connectors.map(({id, fields}) => `${id} ${fields.name}`));
      const leaked = marks.filter((mark) => shown.has(mark)).length;
      if (leaked === 0)
        return pass('the lists of both keys have no connector in common', other.exchange);
      return fail(
        `the list of the second key shows ${leaked} connectors of the first; both keys may belong to one organization`,
        other.exchange,
      );
    },
  },
];

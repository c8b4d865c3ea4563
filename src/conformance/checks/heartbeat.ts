import {firstValue, isObject, readLabel, readText} from '../../client/fields.js';
import {connectorNames} from '../../client/names/connectors.js';
import type {Json} from '../../domain/json.js';
import {isRefusedBody, isSuccess, whyNoSuccess} from '../exchange.js';
import {readDetails, type ShownConnector} from '../listing.js';
import type {Check} from '../model.js';
import {fail, note, pass, skip} from '../outcome.js';
import {inventedId, type Session} from '../session.js';

/** A time in any form; in some services it is an object. */
const readSign = (value: Json) => (isObject(value) ? JSON.stringify(value) : readLabel(value));

/** The traces of heartbeats in a record: its status, and the time of the last one, else the status again. */
function signOf({raw}: ShownConnector) {
  const objects = [raw, ...(isObject(raw) ? Object.values(raw) : [])].filter((one) =>
    isObject(one),
  );
  const {last_heartbeat_at: fields, status: names} = connectorNames;
  const holder = objects.find((one) => fields.some((name) => Object.hasOwn(one, name)));
  const status = objects.map((one) => firstValue(one, names, readText)).find(Boolean);
  const hasTime = holder !== undefined;
  return {hasTime, status, sign: hasTime ? firstValue(holder, fields, readSign) : status};
}

/** Whether the second key reads a connector of its organization with the same id: ids may count per organization. */
async function hasOwn(session: Session, id: string): Promise<boolean> {
  const exchange = await session.call('get', {id, key: 'second'});
  if (!isSuccess(exchange)) return false;
  const {fields} = readDetails(exchange);
  return typeof fields.name === 'string' && fields.name !== (await session.activated()).name;
}

/** Milliseconds after which two times with a resolution of a second must differ. */
const resolution = 1500;

/** Intervals without a heartbeat after which a connector must not be online. */
const silentIntervals = 20;
/** The interval of a service that names none, in seconds. */
const usualInterval = 60;

export const heartbeatChecks: readonly Check[] = [
  {
    id: '4.5/accepts',
    level: 'must',
    title: 'POST /api/connectors/{id}/heartbeat is accepted for an activated connector',
    source: 'interface §4.5',
    reference: '200',
    needs: ['writes'],
    async run(session) {
      const exchange = await session.heartbeat();
      const refusal = whyNoSuccess(exchange);
      if (refusal !== undefined && isRefusedBody(exchange))
        return skip(
          `the service may want a body, which is open: without one, and with {}, it responds ${refusal}`,
          exchange,
        );
      if (refusal !== undefined)
        return fail(`the heartbeat was not accepted: ${refusal}`, exchange);
      return pass(`${exchange.response?.status}`, exchange);
    },
  },
  {
    id: '4.5/effect',
    level: 'should',
    title: 'A heartbeat changes the time of the last heartbeat, where the connector shows it',
    source: 'interface §4.5: it signals that the connector is alive',
    reference: '`last_heartbeat_at` and `status`',
    needs: ['writes'],
    async run(session) {
      const first = await session.heartbeat();
      if (!isSuccess(first)) return skip('no heartbeat was accepted', first);
      const id = await session.activatedId();
      const before = signOf(await session.record(id));
      if (!before.hasTime) return skip('the connector shows no time of its last heartbeat', first);
      if (before.sign === undefined)
        return fail('after an accepted heartbeat, the connector shows none', first);
      await session.time.letPass(resolution);
      const again = await session.sendHeartbeat();
      if (!isSuccess(again)) return skip('the second heartbeat was not accepted', again);
      const after = signOf(await session.record(id));
      if (after.sign !== before.sign)
        return pass('its last heartbeat is later after the next one', again);
      return fail('two heartbeats 1.5 s apart leave the same time of the last heartbeat', again);
    },
  },
  {
    id: '4.5/ages',
    level: 'should',
    title: 'A connector that sends no more heartbeats does not stay `online`',
    source: 'interface §4.5: a heartbeat signals that the connector is alive',
    reference: '`stale`, then `offline`',
    needs: ['writes'],
    turn: 'expiry',
    async run(session) {
      const isHeard = isSuccess(await session.heartbeat());
      const id = await session.activatedId();
      const status = async () => signOf(await session.record(id)).status;
      const aged = await status();
      const beat = await session.sendHeartbeat();
      if (!isHeard || !isSuccess(beat)) return skip('no heartbeat was accepted', beat);
      const fresh = await status();
      if (fresh !== 'online')
        return note(`the status after a heartbeat is ${fresh ?? 'not shown'}`, beat);
      if (aged !== undefined && aged !== fresh)
        return pass(`${aged} before a heartbeat, ${fresh} after it`, beat);
      const wait = silentIntervals * (session.nextHeartbeat(beat) ?? usualInterval);
      const minutes = Math.ceil(wait / 60);
      if (!session.time.canPass(wait * 1000))
        return note(`${fresh}; to see whether that ages takes --patience ${minutes}m`, beat);
      await session.time.letPass(wait * 1000);
      const later = await status();
      if (later !== fresh) return pass(`${later} after ${minutes} min without a heartbeat`, beat);
      return fail(`still ${fresh} after ${minutes} min without a heartbeat`, beat);
    },
  },
  {
    id: '4.5/unknown-id',
    level: 'should',
    title: 'The heartbeat of a connector that does not exist is refused',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `connector_unknown`',
    needs: ['writes'],
    run: (session) =>
      session.evaluateRefusal(
        session.call('heartbeat', {id: inventedId}),
        'the heartbeat of a connector that does not exist was accepted',
      ),
  },
  {
    id: '4.5/only-own',
    level: 'should',
    title: 'A heartbeat changes no other connector, where a connector shows its heartbeats',
    source: 'interface §4.5: the id is that of the connector that is alive',
    reference: '`last_heartbeat_at` and `status` of one connector',
    needs: ['writes'],
    turn: 'several',
    async run(session) {
      const [sender, other] = await session.silentPair();
      if (sender === undefined || other === undefined) return skip('there are no two connectors');
      await session.time.letPass(resolution);
      const read = async () => ({
        own: signOf(await session.record(sender.id)),
        other: signOf(await session.record(other.id)),
      });
      const before = await read();
      const exchange = await session.beat(sender);
      if (!isSuccess(exchange)) return skip('no heartbeat was accepted', exchange);
      const after = await read();
      if (before.own.sign === after.own.sign)
        return skip('the connector does not show its heartbeat', exchange);
      // A status may change by itself, a time does not.
      const isChanged = before.other.sign !== after.other.sign;
      if (isChanged && (after.other.hasTime || after.own.sign === after.other.sign))
        return fail('the heartbeat of one connector counts for another one too', exchange);
      return pass('the heartbeat of one connector changed no other', exchange);
    },
  },
  {
    id: '4.5/isolation',
    level: 'should',
    title: 'The heartbeat of a connector of another organization is refused',
    source: 'interface §1, security practice',
    reference: '404, as for an unknown id',
    needs: ['writes', 'second-key'],
    async run(session) {
      const id = await session.activatedId();
      const exchange = await session.call('heartbeat', {id, key: 'second'});
      if (isSuccess(exchange) && (await hasOwn(session, id)))
        return skip('the second key has a connector with this id too', exchange);
      return session.evaluateRefusal(
        exchange,
        'the second key sent a heartbeat for a connector of the first',
      );
    },
  },
  {
    id: '4.5/needs-key',
    level: 'should',
    title: 'A heartbeat without a key is refused',
    source: 'security practice',
    reference: '401',
    needs: ['writes'],
    async run(session) {
      const id = await session.activatedId();
      const exchange = session.call('heartbeat', {id, key: 'none'});
      return session.evaluateRefusal(exchange, 'a heartbeat without a key was accepted');
    },
  },
];

import {firstValue, isObject, readLabel, readText} from '../../client/fields.js';
import {connectorNames} from '../../client/read/connector.js';
import type {Json} from '../../domain/json.js';
import {isRefusedBody, isSuccess, whyNoSuccess} from '../exchange.js';
import {readDetails, type ShownConnector} from '../listing.js';
import type {Check} from '../model.js';
import {fail, pass, skip} from '../outcome.js';
import {inventedId, type Session} from '../session.js';

/** The time of the last heartbeat that a record shows; undefined when it has no such field. */
function lastHeartbeat(raw: Json): {readonly time: string | undefined} | undefined {
  const objects = [raw, ...(isObject(raw) ? Object.values(raw) : [])].filter((one) =>
    isObject(one),
  );
  const holder = objects.find((object) =>
    connectorNames.last_heartbeat_at.some((name) => Object.hasOwn(object, name)),
  );
  return holder && {time: firstValue(holder, connectorNames.last_heartbeat_at, readLabel)};
}

/** The trace of heartbeats in a record: the time of the last one, or else a status. */
interface Sign {
  readonly time: string | undefined;
  readonly status: string | undefined;
}

function signOf({raw}: ShownConnector): Sign {
  const last = lastHeartbeat(raw);
  if (last !== undefined) return {time: last.time, status: undefined};
  const objects = isObject(raw) ? [raw, ...Object.values(raw)] : [];
  const words = objects.map(
    (one) => isObject(one) && firstValue(one, connectorNames.status, readText),
  );
  return {time: undefined, status: words.find((word) => typeof word === 'string') || undefined};
}

const isSame = (one: Sign, other: Sign): boolean =>
  one.time === other.time && one.status === other.status;

/** Whether the second key reads a connector of its organization with the same id: ids may count per organization. */
async function hasOwn(session: Session, id: string): Promise<boolean> {
  const exchange = await session.call('get', {id, key: 'second'});
  if (!isSuccess(exchange)) return false;
  const {fields} = readDetails(exchange);
  return typeof fields.name === 'string' && fields.name !== (await session.activated()).name;
}

/** Milliseconds after which two times with a resolution of a second must differ. */
const resolution = 1500;

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
      const before = lastHeartbeat((await session.record(id)).raw);
      if (before === undefined)
        return skip('the connector shows no time of its last heartbeat', first);
      if (before.time === undefined)
        return fail('after an accepted heartbeat, the connector shows none', first);
      await session.time.letPass(resolution);
      const again = await session.sendHeartbeat();
      if (!isSuccess(again)) return skip('the second heartbeat was not accepted', again);
      const after = lastHeartbeat((await session.record(id)).raw);
      if (after?.time !== before.time)
        return pass('its last heartbeat is later after the next one', again);
      return fail('two heartbeats 1.5 s apart leave the same time of the last heartbeat', again);
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
      if (isSame(before.own, after.own))
        return skip('the connector does not show its heartbeat', exchange);
      // A status may change by itself, a time does not.
      const isChanged = !isSame(before.other, after.other);
      if (isChanged && (after.other.time !== undefined || isSame(after.own, after.other)))
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

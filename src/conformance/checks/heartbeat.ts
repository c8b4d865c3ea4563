import {isObject} from '../../client/fields.js';
import {connectorField, connectorIn, unreadable} from '../../client/read/connector.js';
import {readHeartbeat} from '../../client/read/responses.js';
import {readDetails} from '../listing.js';
import {writing} from '../model.js';
import {fail, Inconclusive, note, pass, skip} from '../outcome.js';
import type {Session} from '../session.js';

/**
 * A connector's status, and as `sign` its last heartbeat (undefined if null), or the status if it shows no such time.
 *
 * @throws Inconclusive when the connector cannot be read
 */
async function signIn(session: Session, id: string) {
  const exchange = await session.call('get', {id});
  if (!exchange.isSuccess) throw new Inconclusive('the connector cannot be read', exchange);
  const {raw} = readDetails(exchange);
  const record = connectorIn(raw) ?? (isObject(raw) ? raw : {});
  const status = connectorField.status(record);
  const sent = unreadable(record, 'last_heartbeat_at')?.value;
  const time = sent ?? connectorField.last_heartbeat_at(record);
  const hasTime = time !== undefined;
  return {hasTime, status, sign: time ? JSON.stringify(time) : hasTime ? undefined : status};
}

/** Milliseconds after which two times with a resolution of a second must differ. */
const resolution = 1500;

/** Intervals without a heartbeat after which a connector must not be online. */
const silentIntervals = 20;
/** The interval of a service that names none, in seconds. */
const usualInterval = 60;

export const heartbeatChecks = writing({
  '4.5/accepts': {
    level: 'must',
    title: 'POST /api/connectors/{id}/heartbeat is accepted for an activated connector',
    reference: '200',
    async run(session) {
      const exchange = await session.heartbeat();
      const refusal = exchange.whyNoSuccess;
      if (refusal !== undefined && exchange.isRefusedBody)
        return skip(
          `the service may want a body, which is open: without one, and with {}, it responds ${refusal}`,
          exchange,
        );
      if (refusal !== undefined)
        return fail(`the heartbeat was not accepted: ${refusal}`, exchange);
      return pass(`${exchange.response?.status}`, exchange);
    },
  },
  '4.5/effect': {
    title: 'A heartbeat changes the time of the last heartbeat, where the connector shows it',
    source: 'interface §4.5: it signals that the connector is alive',
    reference: '`last_heartbeat_at` and `status`',
    async run(session) {
      const first = await session.heartbeat();
      if (!first.isSuccess) return skip('no heartbeat was accepted', first);
      const id = await session.activatedId();
      const before = await signIn(session, id);
      if (!before.hasTime) return skip('the connector shows no time of its last heartbeat', first);
      if (before.sign === undefined)
        return fail('after an accepted heartbeat, the connector shows none', first);
      await session.time.letPass(resolution);
      const again = await session.sendHeartbeat();
      if (!again.isSuccess) return skip('the second heartbeat was not accepted', again);
      const after = await signIn(session, id);
      if (after.sign !== before.sign)
        return pass('its last heartbeat is later after the next one', again);
      return fail('two heartbeats 1.5 s apart leave the same time of the last heartbeat', again);
    },
  },
  '4.5/ages': {
    title: 'A connector that sends no more heartbeats does not stay `online`',
    source: 'interface §4.5: a heartbeat signals that the connector is alive',
    reference: '`stale`, then `offline`',
    turn: 'expiry',
    async run(session) {
      const isHeard = (await session.heartbeat()).isSuccess;
      const id = await session.activatedId();
      const status = async () => (await signIn(session, id)).status;
      const aged = await status();
      const beat = await session.sendHeartbeat();
      if (!isHeard || !beat.isSuccess) return skip('no heartbeat was accepted', beat);
      const fresh = await status();
      if (fresh !== 'online')
        return note(`the status after a heartbeat is ${fresh ?? 'not shown'}`, beat);
      if (aged !== undefined && aged !== fresh)
        return pass(`${aged} before a heartbeat, ${fresh} after it`, beat);
      const interval =
        beat.response && beat.json !== undefined
          ? readHeartbeat(beat.response, session.context('heartbeat')).nextHeartbeatSeconds
          : undefined;
      const wait = silentIntervals * (interval ?? usualInterval);
      const minutes = Math.ceil(wait / 60);
      if (!session.time.canPass(wait * 1000))
        return note(`${fresh}; pass --patience ${minutes}m to see whether it ages`, beat);
      await session.time.letPass(wait * 1000);
      const later = await status();
      if (later !== fresh) return pass(`${later} after ${minutes} min without a heartbeat`, beat);
      return fail(`still ${fresh} after ${minutes} min without a heartbeat`, beat);
    },
  },
  '4.5/only-own': {
    title: 'A heartbeat changes no other connector, where a connector shows its heartbeats',
    source: 'interface §4.5: the id is that of the connector that is alive',
    reference: '`last_heartbeat_at` and `status` of one connector',
    turn: 'several',
    async run(session) {
      const beating = await session.activatedId();
      const [sender, other] = await session.several(2, (id) => id !== beating);
      if (sender === undefined || other === undefined)
        return skip('there are fewer than two connectors');
      await session.time.letPass(resolution);
      const read = async () => ({
        own: await signIn(session, sender.id),
        other: await signIn(session, other.id),
      });
      const before = await read();
      const exchange = await session.beat(sender);
      if (!exchange.isSuccess) return skip('no heartbeat was accepted', exchange);
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
});

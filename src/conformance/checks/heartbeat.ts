import {firstValue, isObject, names, readLabel} from '../../client/fields.js';
import type {Json} from '../../domain/json.js';
import {isRefusedBody, isSuccess, whyNoSuccess} from '../exchange.js';
import type {Check} from '../model.js';
import {fail, judgeRefusal, pass, skip} from '../outcome.js';
import {inventedId} from '../session.js';

/** The time of the last heartbeat that a record shows; undefined when no field of it is for one. */
function lastHeartbeat(raw: Json): {readonly time: string | undefined} | undefined {
  const objects = [raw, ...(isObject(raw) ? Object.values(raw) : [])].filter((one) =>
    isObject(one),
  );
  const holder = objects.find((object) =>
    names.lastHeartbeat.some((name) => Object.hasOwn(object, name)),
  );
  return holder && {time: firstValue(holder, names.lastHeartbeat, readLabel)};
}

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
      const before = lastHeartbeat((await session.record()).raw);
      if (before === undefined)
        return skip('the connector shows no time of its last heartbeat', first);
      if (before.time !== undefined) {
        // Times may have a resolution of a second.
        if (session.isSandbox) await session.options.advance(2);
        else await session.options.wait(1500);
        const again = await session.sendHeartbeat();
        if (!isSuccess(again)) return skip('the second heartbeat was not accepted', again);
        const after = lastHeartbeat((await session.record()).raw);
        if (after?.time !== before.time)
          return pass('its last heartbeat is later after the next one', again);
        return fail('two heartbeats 1.5 s apart leave the same time of the last heartbeat', again);
      }
      return fail('after an accepted heartbeat, the connector shows none', first);
    },
  },
  {
    id: '4.5/unknown-id',
    level: 'should',
    title: 'The heartbeat of a connector that does not exist is refused',
    source: 'RFC 9110 §15.5.5',
    reference: '404, problem `connector_unknown`',
    needs: ['writes'],
    async run(session) {
      const exchange = await session.call('heartbeat', {id: inventedId});
      return judgeRefusal(
        exchange,
        'the heartbeat of a connector that does not exist was accepted',
      );
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
      return judgeRefusal(exchange, 'the second key sent a heartbeat for a connector of the first');
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
      const exchange = await session.call('heartbeat', {
        id: await session.activatedId(),
        key: 'none',
      });
      return judgeRefusal(exchange, 'a heartbeat without a key was accepted');
    },
  },
];

import {Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import type {FastifyReply} from 'fastify';
import {Connector, headers, type ListQuery, limits} from '../../contract/index.js';
import {isId} from '../../domain/ids.js';
import type {ConnectorRecord} from '../../domain/records.js';
import type {Context} from '../context.js';
import {ProblemError, retrySeconds, toProblem} from '../http/problems.js';
import {responseSchema} from '../openapi/json-schema.js';
import {toConnectorResponse} from './get.js';
import type {Handler, HandlerFactory} from './handler.js';

const connectorSchema = responseSchema(Connector);

/** Length of a part of a list, in UTF-16 code units: usually below 16 KiB, more with non-ASCII names. */
const partLength = 15.5 * 1024;

/** Connectors per turn of the event loop: a fraction of a millisecond's work. */
const perTurn = 500;

/** Counts, for each organization, the lists whose responses have not ended. */
function createUnfinishedLists() {
  const counts = new Map<string, number>();
  /** @throws ProblemError `too_many_lists` beyond the limit */
  return (organization: string, {raw}: FastifyReply): void => {
    const count = counts.get(organization) ?? 0;
    if (count >= limits.organization.lists) {
      throw new ProblemError('too_many_lists', {
        detail: `It is reading ${count} lists already. Repeat the request when one has ended.`,
        retryAfter: retrySeconds,
      });
    }
    // The client is gone: its connection does not emit `close` again.
    if (raw.destroyed) return;
    counts.set(organization, count + 1);
    raw.once('close', () => {
      const left = (counts.get(organization) ?? 0) - 1;
      if (left > 0) counts.set(organization, left);
      else counts.delete(organization);
    });
  };
}

/**
 * Lists the organization's connectors (interface §4.3): all of them as one streamed array, or, with `limit` or
 * `cursor`, one page, whose `Link` header leads to the next (RFC 8288).
 */
export const list: HandlerFactory<'list'> = (context) => {
  let written = 0;
  let lastTurn = Promise.resolve();
  // All lists share the turns of the event loop: other requests wait for one turn in all, not for one per list.
  const nextTurn = (connectors: number) => {
    lastTurn = lastTurn.then(async () => {
      written += connectors;
      if (written < perTurn) return;
      written = 0;
      await setImmediate();
    });
    return lastTurn;
  };
  const addUnfinished = createUnfinishedLists();
  return async (call) => {
    const {caller, query, request, reply} = call;
    addUnfinished(caller.key.organization, reply);
    const write = reply.compileSerializationSchema(connectorSchema);
    const present = (record: ConnectorRecord) =>
      write(toConnectorResponse(record, context.now(), context.heartbeatInterval));
    reply.type('application/json; charset=utf-8');
    if (query.limit !== undefined || query.cursor !== undefined) {
      await nextTurn(perTurn);
      const {records, next} = await readPage(context, caller.key.organization, query);
      if (next !== undefined) reply.header(headers.link, `<${next}>; rel="next"`);
      return reply.send(Buffer.from(`[${records.map(present).join()}]`));
    }
    // A response to HEAD has no content, so it need not read the store.
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    return reply.send(Readable.from(writeAll(context, nextTurn, call, present)));
  };
};

/**
 * Writes a list of any length in parts, at most one ahead of its connection. An error after the start of the response
 * can only cut it off; the log and the metrics record the cause.
 */
async function* writeAll(
  context: Context,
  nextTurn: (connectors: number) => Promise<unknown>,
  {caller, request, reply}: Parameters<Handler<'list'>>[0],
  present: (record: ConnectorRecord) => string,
): AsyncGenerator<Buffer> {
  let text = '[';
  let separator = '';
  try {
    for await (const batch of context.store.listConnectors(caller.key.organization)) {
      await nextTurn(batch.length);
      for (const record of batch) {
        text += separator + present(record);
        separator = ',';
        if (text.length < partLength) continue;
        // A buffer that waits for its connection is outside the heap; a string would be in it.
        yield Buffer.from(text);
        text = '';
      }
    }
    yield Buffer.from(`${text}]`);
  } catch (error) {
    if (reply.raw.headersSent) {
      const {code} = toProblem(error);
      context.metrics.problems.inc({code});
      reply.problemCode = code;
      context.log.error({request_id: request.id, err: error}, code);
    }
    throw error;
  }
}

async function readPage({store}: Context, organization: string, query: ListQuery) {
  const limit = query.limit ?? limits.page.default;
  const {cursor: after} = query;
  if (after !== undefined && !isId('con', after)) {
    throw new ProblemError('request_invalid', {
      detail: 'The query is not valid.',
      errors: [{path: '/cursor', message: 'Not a cursor of this service'}],
    });
  }
  const records: ConnectorRecord[] = [];
  // One more than requested shows whether there is a next page.
  for await (const batch of store.listConnectors(organization, {after, limit: limit + 1})) {
    records.push(...batch);
  }
  if (records.length <= limit) return {records, next: undefined};
  records.length = limit;
  const cursor = records.at(-1)?.id ?? '';
  // A reference with only a query keeps the path, including a prefix that a proxy added (RFC 3986 §5.2.2).
  return {records, next: `?${new URLSearchParams({limit: String(limit), cursor})}`};
}

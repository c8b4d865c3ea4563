import {Readable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import type {FastifyReply, FastifyRequest} from 'fastify';
import pLimit from 'p-limit';
import {Connector, headers, type ListQuery, limits} from '../../contract/index.js';
import type {ConnectorRecord} from '../../domain/records.js';
import type {Context} from '../context.js';
import {ProblemError, toProblem} from '../http/problems.js';
import {responseSchema} from '../openapi/json-schema.js';
import {type OrganizationCaller, recheckKey} from './auth.js';
import {toConnectorResponse} from './connector-response.js';
import {decodeCursor, encodeCursor} from './cursor.js';
import type {Handler, HandlerFactory} from './handler.js';

const connectorSchema = responseSchema(Connector);

/**
 * Makes the function that resolves when the next batch or page may be written: one per turn of the event loop, for
 * all lists together. Other requests then wait for one batch at most, not for one batch of each reader.
 */
function createBatchScheduler() {
  const oneByOne = pLimit(1);
  return () => oneByOne(() => setImmediate());
}

type BatchScheduler = ReturnType<typeof createBatchScheduler>;

/**
 * Lists the organization's connectors (interface §4.3): all of them as one streamed array, or with
 * `limit` or `cursor` a page of them, whose `Link` leads to the next (RFC 8288).
 */
export const list: HandlerFactory<'list'> = (context) => {
  const nextTurn = createBatchScheduler();
  return (call) => sendList(context, nextTurn, call);
};

async function sendList(
  context: Context,
  nextTurn: BatchScheduler,
  {caller, query, request, reply}: Parameters<Handler<'list'>>[0],
): ReturnType<Handler<'list'>> {
  if (query.limit === undefined && query.cursor === undefined) {
    reply.type('application/json; charset=utf-8');
    // A response to HEAD has no content, so it must not read the store.
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const write = reply.compileSerializationSchema(connectorSchema);
    const texts = writeAll(context, nextTurn, caller, write);
    return reply.send(Readable.from(recordingErrors(texts, context, request, reply)));
  }
  const page = await readPage(context, caller.organization, query);
  await nextTurn();
  if (page.next !== undefined) reply.header(headers.link, `<${page.next}>; rel="next"`);
  return page.records.map((record) => present(context, record));
}

function present({now, heartbeatInterval}: Context, record: ConnectorRecord): Connector {
  return toConnectorResponse(record, now(), heartbeatInterval);
}

/**
 * Writes batch by batch, so a list of any length takes the memory of one batch. It checks the key for
 * each batch: a reader that pauses must not continue with a key that was revoked in the meantime.
 */
async function* writeAll(
  context: Context,
  nextTurn: BatchScheduler,
  caller: OrganizationCaller,
  write: (connector: Connector) => string,
): AsyncGenerator<string> {
  let separator = '[';
  for await (const batch of context.store.listConnectors(caller.organization)) {
    if (batch.length === 0) continue;
    await nextTurn();
    if (separator !== '[') await recheckKey(caller, context);
    yield separator + batch.map((record) => write(present(context, record))).join();
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Once a response has started, an error can only cut it off; the log and the metrics record the cause. */
async function* recordingErrors(
  texts: AsyncIterable<string>,
  {log, metrics}: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): AsyncGenerator<string> {
  let hasStarted = false;
  try {
    for await (const text of texts) {
      hasStarted = true;
      yield text;
    }
  } catch (error) {
    if (hasStarted) {
      const {code} = toProblem(error);
      metrics.problem(code);
      reply.problemCode = code;
      if (!(error instanceof ProblemError)) log.error({request_id: request.id, err: error}, code);
    }
    throw error;
  }
}

async function readPage({store}: Context, organization: string, query: ListQuery) {
  const limit = query.limit ?? limits.page.default;
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  const records: ConnectorRecord[] = [];
  // One more than requested shows whether there is a next page.
  for await (const batch of store.listConnectors(organization, {after, limit: limit + 1})) {
    records.push(...batch);
  }
  if (records.length <= limit) return {records, next: undefined};
  records.length = limit;
  const cursor = encodeCursor(records.at(-1)?.id ?? '');
  // A reference with only a query keeps the path, including a prefix that a proxy added (RFC 3986 §5.3).
  return {records, next: `?${new URLSearchParams({limit: String(limit), cursor})}`};
}

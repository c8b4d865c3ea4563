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
import {decodeCursor, encodeCursor} from './cursor.js';
import type {Handler, HandlerFactory} from './handler.js';
import {toConnectorResponse} from './present.js';

const connectorSchema = responseSchema(Connector);

/** Whose turn it is to write a batch of a list; see `createTurns`. */
type BatchScheduler = () => Promise<void>;

/**
 * One batch or page is written in each turn of the event loop, however many lists are read at once: all
 * other requests wait for one of them at most, and never for one of each reader.
 */
function createBatchScheduler(): BatchScheduler {
  const oneByOne = pLimit(1);
  return () => oneByOne(() => setImmediate());
}

/**
 * Lists the organization's connectors (interface §4.3): all of them as one streamed array, or with
 * `limit` or `cursor` a page of them, whose `Link` leads to the next (RFC 8288).
 */
export const list: HandlerFactory<'list'> = (context) => {
  const turns = createBatchScheduler();
  return (call) => responseList(context, turns, call);
};

async function responseList(
  context: Context,
  turns: BatchScheduler,
  {caller, query, request, reply}: Parameters<Handler<'list'>>[0],
): ReturnType<Handler<'list'>> {
  if (query.limit === undefined && query.cursor === undefined) {
    reply.type('application/json; charset=utf-8');
    // A response to HEAD has no content, and so must cost no reading.
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const write = reply.compileSerializationSchema(connectorSchema);
    const texts = writeAll(context, turns, caller, write);
    return reply.send(Readable.from(recordingErrors(texts, context, request, reply)));
  }
  const page = await readPage(context, caller.organization, query);
  await turns();
  if (page.next !== undefined) reply.header(headers.link, `<${page.next}>; rel="next"`);
  return page.records.map((record) => present(context, record));
}

function present({now, heartbeatInterval}: Context, record: ConnectorRecord): Connector {
  return toConnectorResponse(record, now(), heartbeatInterval);
}

/**
 * Writes batch by batch, so that a list of any length takes the memory of one batch. The key is checked
 * for each: a reader that pauses must not read on with a key that was revoked meanwhile.
 */
async function* writeAll(
  context: Context,
  turns: BatchScheduler,
  caller: OrganizationCaller,
  write: (connector: Connector) => string,
): AsyncGenerator<string> {
  let separator = '[';
  for await (const batch of context.store.listConnectors(caller.organization)) {
    if (batch.length === 0) continue;
    await turns();
    if (separator !== '[') await recheckKey(caller, context);
    yield separator + batch.map((record) => write(present(context, record))).join();
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Once the response has begun its reader can only be cut off; the log and the metrics say why. */
async function* recordingErrors(
  texts: AsyncIterable<string>,
  {log, metrics}: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): AsyncGenerator<string> {
  let begun = false;
  try {
    for await (const text of texts) {
      begun = true;
      yield text;
    }
  } catch (error) {
    if (begun) {
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
  // One more than asked for tells whether there is a next page.
  for await (const batch of store.listConnectors(organization, {after, limit: limit + 1})) {
    records.push(...batch);
  }
  if (records.length <= limit) return {records, next: undefined};
  records.length = limit;
  const cursor = encodeCursor(records.at(-1)?.id ?? '');
  // A reference of a query alone keeps the path, whatever prefix a proxy has put before it (RFC 3986 §5.3).
  return {records, next: `?${new URLSearchParams({limit: String(limit), cursor})}`};
}

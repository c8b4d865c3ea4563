// Loaded only by the monitor: zod costs start-up time.
import * as z from 'zod/mini';
import type {MonitorEvent, MonitorState, Problem} from '../../domain/fleet/monitor.js';
import type {JsonObject} from '../../domain/json.js';
import {timestamp} from '../../domain/timestamp.js';

/** The version of the state file that this release writes, and the newest that it reads. */
export const stateSchema = 1;

const Time = z.pipe(
  z.string().check(z.iso.datetime()),
  z.transform((text) => Date.parse(text)),
);

const Fields = z.object({
  check: z.string(),
  rule: z.nullable(z.string()),
  subject: z.string(),
  connector_id: z.nullable(z.string()),
  status: z.enum(['error', 'fail', 'warn']),
  message: z.string(),
});

const StoredProblem = z.object({
  ...Fields.shape,
  since: Time,
  known: z.boolean(),
  worse_since: z.optional(Time),
});

const StoredEvent = z.object({
  id: z.string(),
  change: z.enum(['began', 'ended']),
  at: Time,
  since: Time,
  again: z.optional(z.boolean()),
  ...Fields.shape,
});

/** The state file. */
const StoredState = z.object({
  schema: z.literal(stateSchema),
  /** Base URL of the service whose fleet this is. */
  service: z.string(),
  baseline: z.boolean(),
  findings: z.array(StoredProblem),
  undelivered: z.array(StoredEvent),
});

/** @returns undefined unless a document is a state file of this version */
export function readState(
  document: unknown,
): {readonly service: string; readonly state: MonitorState} | undefined {
  const parsed = StoredState.safeParse(document);
  if (!parsed.success) return undefined;
  const {service, baseline, findings, undelivered} = parsed.data;
  const tracked = findings.map(({since, known, worse_since: worseSince, ...fields}) => ({
    problem: toProblem(fields),
    since,
    isKnown: known,
    worseSince,
  }));
  const events = undelivered.map(({id, change, at, since, again = false, ...fields}) => ({
    ...{id, change, at, since, isAgain: again},
    problem: toProblem(fields),
  }));
  return {service, state: {hasBaseline: baseline, tracked, undelivered: events}};
}

/** The content of the state file. */
export function stateJson(
  service: string,
  {hasBaseline, tracked, undelivered}: MonitorState,
): object {
  return {
    schema: stateSchema,
    service,
    baseline: hasBaseline,
    findings: tracked.map(({problem, since, isKnown, worseSince}) => ({
      ...problemJson(problem),
      since: timestamp(since),
      known: isKnown,
      ...(worseSince !== undefined && {worse_since: timestamp(worseSince)}),
    })),
    undelivered: undelivered.map((event) => ({
      ...eventJson(event),
      ...(event.isAgain && {again: true}),
    })),
  };
}

/** An event as programs read it: a line of `--json`, or an element of what `--exec` gets. */
export function eventJson({id, change, at, since, problem}: MonitorEvent): JsonObject {
  return {id, change, at: timestamp(at), since: timestamp(since), ...problemJson(problem)};
}

/** What `--exec` gets on stdin. */
export function deliveryJson(service: string, events: readonly MonitorEvent[]): object {
  return {schema: stateSchema, service, events: events.map(eventJson)};
}

function problemJson({id, rule, subject, connectorId, status, message}: Problem): JsonObject {
  return {
    check: id,
    rule: rule ?? null,
    subject,
    connector_id: connectorId ?? null,
    status,
    message,
  };
}

function toProblem(fields: z.infer<typeof Fields>): Problem {
  const {check, rule, subject, connector_id, status, message} = fields;
  return {
    ...{id: check, subject, status, message},
    rule: rule ?? undefined,
    connectorId: connector_id ?? undefined,
  };
}

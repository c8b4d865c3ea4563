// Schemas of the JSON that commands print in their own formats; docs/schemas is generated from them. Null: the value
// does not exist, or the service does not send it.
import * as z from 'zod/mini';
import {keyAccesses} from '../contract/limits.js';
import {findingStatuses, verdicts} from '../domain/check/findings.js';
import {changes, problemStatuses} from '../domain/check/monitor.js';
import {type ErrorKind, exitCodes} from '../errors.js';

const text = (description: string) => z.string().check(z.describe(description));
const number = (description: string) => z.number().check(z.describe(description));
const time = z.string().check(z.meta({format: 'date-time'}));
const titled = <Shape extends z.core.$ZodShape>(title: string, shape: Shape) =>
  z.object(shape).check(z.meta({title}));

const Bounds = z.object({min: z.optional(z.number()), max: z.optional(z.number())});

const ReportJson = titled('What check, conformance and enroll print with --json', {
  schema: z.literal(1),
  command: text('such as connector check'),
  service: text('base URL; empty when the command ended before it was known'),
  started_at: time,
  duration_seconds: z.number(),
  verdict: z.enum(verdicts),
  summary: text('the verdict in one sentence'),
  counts: z.record(z.enum(findingStatuses), z.number()),
  findings: z.array(
    z.object({
      id: text('the check, such as min-online, offline or 4.2/single-use'),
      rule: z.optional(text('the rule of which it names a connector, such as max-offline')),
      subject: text('name of a connector, fleet, service, or a row of a list'),
      status: z.enum(findingStatuses),
      message: z.string(),
      measurement: z.optional(
        z.object({
          value: z.number(),
          unit: z.enum(['%', 's', '']),
          warning: z.optional(Bounds),
          critical: z.optional(Bounds),
        }),
      ),
      details: z.optional(
        z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      ),
    }),
  ),
});
export type ReportJson = z.infer<typeof ReportJson>;

const DoctorJson = titled('What doctor prints with --json', {
  settings: z.array(z.object({name: z.string(), value: z.string(), from: text('its source')})),
  address: z.nullable(text('IP address and port that responded')),
  proxy: z.nullable(z.string()),
  certificate_end: z.nullable(time),
  clock_ahead: z.nullable(number("seconds by which the service's clock is ahead")),
  virtual_clock: z.boolean(),
  key: text('whether the service accepts the key'),
});
export type DoctorJson = z.infer<typeof DoctorJson>;

const WhoamiJson = titled('What whoami prints with --json', {
  base_url: z.string(),
  profile: z.nullable(z.string()),
  api_key: z.nullable(
    z.object({
      prefix: z.string(),
      place: z.string(),
      from: text('its source'),
      access: z.nullable(z.enum(keyAccesses)),
      expires_at: z.nullable(time),
    }),
  ),
  organization: z.nullable(z.string()),
});
export type WhoamiJson = z.infer<typeof WhoamiJson>;

const MonitorJson = titled('What connector monitor hands to --exec on stdin', {
  schema: z.literal(1),
  service: text('base URL'),
  headline: text(
    'what the check found in all, and how many events there are, without any connector',
  ),
  events: z
    .array(
      z.object({
        id: text('the same when the event is delivered again, and while the problem lasts'),
        change: z.enum(changes),
        at: time,
        since: time,
        check: text('what was found, such as offline, missing or service'),
        rule: z.nullable(
          text(
            'the rule that the connector breaks, such as max-offline; null for a finding about a rule or the service',
          ),
        ),
        subject: text('name of the connector, fleet, or base URL of the service'),
        connector_id: z.nullable(z.string()),
        status: z.enum(problemStatuses),
        message: text('the finding; of an event that ended, what it was and for how long'),
      }),
    )
    .check(z.minLength(1), z.describe('each is also a line of --json')),
});
export type MonitorJson = z.infer<typeof MonitorJson>;

const errorKinds = Object.keys(exitCodes).filter((kind): kind is ErrorKind => kind !== 'ok');

const ErrorJson = titled('What a command prints with --json when it fails', {
  error: z.object({
    kind: z.enum(errorKinds),
    exit_code: z.number(),
    message: z.string(),
    reason: z.optional(text('a stable name such as certificate-untrusted')),
    hint: z.optional(text('what to do next')),
    code: z.optional(text("the service's own code")),
    request_id: z.optional(z.string()),
    status: z.optional(number('HTTP status')),
    retry_after: z.optional(number('seconds')),
    outcome_unknown: z.optional(z.literal(true)),
  }),
});
export type ErrorJson = z.infer<typeof ErrorJson>;

/** The schemas by the names of their files in docs/schemas. */
export const outputSchemas = {
  'monitor-events': MonitorJson,
  report: ReportJson,
  doctor: DoctorJson,
  whoami: WhoamiJson,
  error: ErrorJson,
} as const;

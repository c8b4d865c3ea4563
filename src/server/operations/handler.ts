import type {FastifyReply, FastifyRequest} from 'fastify';
import type * as z from 'zod/mini';
import type {Operation, Route, routes} from '../../contract/index.js';
import type {Context} from '../context.js';
import {ProblemError} from '../http/problems.js';
import {type AuditLog, canAudit} from '../observability/audit.js';
import type {Caller, OrganizationCaller} from './auth.js';

/** Input of a handler: an authorized caller, and parameters that match the contract. */
export interface Call<R extends Route> {
  readonly caller: CallerOf<R>;
  readonly params: R extends {params: infer S extends z.ZodMiniType} ? z.output<S> : undefined;
  readonly query: R extends {query: infer S extends z.ZodMiniType} ? z.output<S> : undefined;
  readonly body: R extends {body: {schema: infer S extends z.ZodMiniType}}
    ? z.output<S>
    : undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type CallerOf<R extends Route> = {
  none: undefined;
  organization: OrganizationCaller;
  connector: Caller;
}[R['access']];

/** Handles one operation of the interface: returns a response that matches its schema, or throws. */
export type Handler<O extends Operation> = (
  call: Call<(typeof routes)[O]>,
) => Promise<z.output<(typeof routes)[O]['success']['schema']> | FastifyReply>;

export type HandlerFactory<O extends Operation> = (context: Context) => Handler<O>;

/** `Retry-After` in seconds when the log has no room because its reader is stalled. */
const auditRetry = 5;

/** Refuses a change without room for its audit record. @throws ProblemError `audit_unavailable` */
export function requireAuditRoom(log: AuditLog): void {
  if (!canAudit(log)) throw new ProblemError('audit_unavailable', {retryAfter: auditRetry});
}

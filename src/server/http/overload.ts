import underPressure from '@fastify/under-pressure';
import type {FastifyInstance} from 'fastify';
import {ProblemError} from './problems.js';

/** Seconds after which a caller may try again. */
const retrySeconds = 1;

/**
 * Refuses requests while the event loop lags, before any work is spent on them: an early "no" is
 * worth more to a caller than a response that comes after its time limit.
 *
 * @param maxDelay mean lag within a second, in milliseconds
 */
export function refuseWhenOverloaded(app: FastifyInstance, maxDelay: number): void {
  app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler() {
      throw new ProblemError('overloaded', {retryAfter: retrySeconds});
    },
  });
}

/** Configuration of a route that answers even then. */
export const answersUnderPressure = {pressureHandler: () => undefined};

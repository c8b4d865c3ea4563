import underPressure from '@fastify/under-pressure';
import type {FastifyInstance} from 'fastify';
import {ProblemError, retrySeconds} from './problems.js';

/**
 * Refuses requests while the event loop lags, before doing any work for them: an early error is worth
 * more to a caller than a response after its time limit.
 *
 * @param maxDelay mean lag over one second, in milliseconds
 */
export function refuseWhenOverloaded(app: FastifyInstance, maxDelay: number): void {
  app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler() {
      throw new ProblemError('overloaded', {retryAfter: retrySeconds});
    },
  });
}

/** Configuration of a route that is exempt from this. */
export const servedUnderPressure = {pressureHandler: () => undefined};

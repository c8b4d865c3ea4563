import type {AppError} from '../errors.js';

/** Whether a failure of the service may be over at the next look: it is away, or a part of it is. */
export function healsByItself({kind}: AppError): boolean {
  return kind === 'unavailable' || kind === 'remote';
}

import type {ServiceFacts} from '../client/types.js';
import {writeMessage} from '../terminal/streams.js';

export const sandboxNotice =
  'This service is a sandbox: its clock and its connectors are not real, and its data is removed when it stops.';

/** Tells that the service of a command is a sandbox. @param facts undefined before its response */
export function noteSandbox(facts: ServiceFacts | undefined): void {
  if (facts?.hasVirtualClock) writeMessage(sandboxNotice);
}

import type {ServiceFacts} from '../client/types.js';
import type {Io} from '../terminal/io.js';

export const sandboxNotice =
  'This service is for tests: its clock is virtual, and its connectors are not real.';

/** Notes that the service of a command is a sandbox. @param facts undefined before the first response */
export function noteSandbox(facts: ServiceFacts | undefined, io: Io): void {
  if (facts?.hasVirtualClock) io.note(sandboxNotice);
}

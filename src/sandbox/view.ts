import type {SandboxStatus} from '../contract/sandbox.js';
import {exactTime} from '../terminal/time.js';

/** `online 494, offline 3`: the number of connectors with each status that occurs. */
export function renderCounts(counts: Readonly<Record<string, number>>): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return present.map(([status, count]) => `${status} ${count}`).join(', ') || 'none';
}

/** The state of a sandbox, one line for each field. */
export function renderSandboxStatus(status: SandboxStatus): string {
  const {clock, rate, now, seed, connectors, faults, requests} = status;
  const passing = clock === 'running' && rate !== 1 ? `${clock}, ${rate} s per second` : clock;
  return [
    `time        ${exactTime(new Date(now))} (${passing})`,
    `connectors  ${renderCounts(connectors)}`,
    `faults      ${faults}`,
    `requests    ${requests}`,
    `seed        ${seed}`,
    '',
  ].join('\n');
}

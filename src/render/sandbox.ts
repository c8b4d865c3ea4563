import type {SandboxStatus} from '../contract/sandbox.js';
import {exactTime} from './time.js';

/** `online 494, offline 3`: the statuses that there are connectors of. */
export function renderCounts(counts: Readonly<Record<string, number>>): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return present.map(([status, count]) => `${status} ${count}`).join(', ') || 'none';
}

/** What a sandbox is now, a line for each fact. */
export function renderSandboxStatus(status: SandboxStatus): string {
  const {clock, rate, now, seed, connectors, faults, requests} = status;
  const passing = clock === 'running' && rate !== 1 ? `${clock}, ${rate} s in a second` : clock;
  return [
    `time        ${exactTime(new Date(now))} (${passing})`,
    `connectors  ${renderCounts(connectors)}`,
    `faults      ${faults}`,
    `requests    ${requests}`,
    `seed        ${seed}`,
    '',
  ].join('\n');
}

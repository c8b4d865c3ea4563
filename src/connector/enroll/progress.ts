import {duration} from '../../terminal/time.js';
import type {ActivationResult} from './activations.js';

/** Cells of the bar. */
const barWidth = 20;

/**
 * Counts how far a run is, as a line for a terminal: a bar, the rate and the time left, by the rows that needed the
 * service.
 *
 * @param now milliseconds since some moment
 */
export function fleetProgress(total: number, now: () => number) {
  const startedAt = now();
  const counts = {done: 0, sent: 0, bad: 0};
  const rate = (): readonly string[] => {
    const seconds = (now() - startedAt) / 1000;
    if (counts.sent === 0 || seconds <= 0) return [];
    const perSecond = counts.sent / seconds;
    const left = Math.ceil((total - counts.done) / perSecond);
    return [
      `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
      `${duration(left * 1000, Math.ceil)} left`,
    ];
  };
  return {
    onResult({result}: Pick<ActivationResult, 'result'>): void {
      counts.done += 1;
      if (result !== 'already' && result !== 'skipped') counts.sent += 1;
      if (result === 'failed' || result === 'uncertain') counts.bad += 1;
    },
    /** The line to show now. */
    text(): string {
      const bar = '█'.repeat(Math.floor((barWidth * counts.done) / total)).padEnd(barWidth, '░');
      const bad = counts.bad > 0 ? [`${counts.bad} failed or uncertain`] : [];
      return [`${bar} ${counts.done}/${total}`, ...bad, ...rate()].join(', ');
    },
  };
}

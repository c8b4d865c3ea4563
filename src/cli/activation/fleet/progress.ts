import type {ActivationResult} from '../../../render/formats/activations.js';
import {duration} from '../../../render/time.js';
import type {StatusLine} from '../../terminal/status-line.js';

/** Cells of the bar. */
const barWidth = 20;

/**
 * Shows on a terminal how far a run is: a bar, the rate and the time left, counted from the rows that
 * needed the service.
 *
 * @param now milliseconds since some moment
 */
export class FleetProgress {
  readonly #total: number;
  readonly #now: () => number;
  readonly #startedAt: number;
  #done = 0;
  #sent = 0;
  #bad = 0;

  constructor(total: number, now: () => number) {
    this.#total = total;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly onResult = ({result}: Pick<ActivationResult, 'result'>): void => {
    this.#done += 1;
    if (result !== 'already' && result !== 'skipped') this.#sent += 1;
    if (result === 'failed' || result === 'uncertain') this.#bad += 1;
  };

  /** The line to show now. */
  get text(): string {
    const filled = Math.floor((barWidth * this.#done) / this.#total);
    const bar = '█'.repeat(filled).padEnd(barWidth, '░');
    return [
      `${bar} ${this.#done}/${this.#total}`,
      ...(this.#bad > 0 ? [`${this.#bad} failed or uncertain`] : []),
      ...this.#rate(),
    ].join(', ');
  }

  /** Starts to show the progress. @returns a function that ends it */
  show(line: Pick<StatusLine, 'begin'> | undefined): () => void {
    return line?.begin(() => this.text, false) ?? (() => undefined);
  }

  #rate(): readonly string[] {
    const seconds = (this.#now() - this.#startedAt) / 1000;
    if (this.#sent === 0 || seconds <= 0) return [];
    const rate = this.#sent / seconds;
    const left = Math.ceil((this.#total - this.#done) / rate);
    return [
      `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`,
      `${duration(left * 1000, Math.ceil)} left`,
    ];
  }
}

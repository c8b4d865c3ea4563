import type {Measure} from './compare.js';
import {pauseOfCompaction} from './pause.js';
import {heartbeatGrowth, heartbeatRate, readRate} from './rates.js';
import {diskUse, listing, start} from './sizes.js';

/** All measurements by the name that `npm run bench:store -- NAME` takes. */
export const measures: Readonly<Record<string, Measure>> = {
  heartbeats: heartbeatRate,
  growth: heartbeatGrowth,
  compaction: pauseOfCompaction,
  get: readRate,
  list: listing,
  start,
  disk: diskUse,
};

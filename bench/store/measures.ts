import type {Measure} from './compare.js';
import {pauseOfCompaction} from './pause.js';
import {
  contender,
  heartbeatGrowth,
  heartbeatRate,
  jsonServer,
  readRate,
  reconnecting,
  wrkRates,
} from './rates.js';
import {diskUse, listing, start} from './sizes.js';

/** All measurements by the name that `npm run bench:store -- NAME` takes. */
export const measures: Readonly<Record<string, Measure>> = {
  heartbeats: heartbeatRate,
  growth: heartbeatGrowth,
  'json-server': jsonServer,
  reconnecting,
  compaction: pauseOfCompaction,
  get: readRate,
  wrk: wrkRates,
  contender,
  list: listing,
  start,
  disk: diskUse,
};

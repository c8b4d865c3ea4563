// Sends requests made from the OpenAPI document to a service, and checks every response.
//   npm run bench:fuzz -- [--requests 100000] [--seed N]
import {parseArgs} from 'node:util';
import {fuzz} from '../test/support/fuzz/run.js';

const {values} = parseArgs({
  options: {requests: {type: 'string', default: '100000'}, seed: {type: 'string'}},
});
const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
console.log(`seed ${seed}`);
const startedAt = performance.now();
const {requests, responses} = await fuzz(Number(values.requests), seed);
const seconds = (performance.now() - startedAt) / 1000;
console.log(`${requests} requests in ${seconds.toFixed(0)} s, every response as documented`);
for (const [key, count] of Object.entries(responses)) console.log(`${key.padEnd(14)} ${count}`);

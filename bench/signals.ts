// Sends each stop signal to each long-running command at every 10 ms of its first 400 ms, and fails unless every one
// ends as documented and leaves nothing behind. Usage: tsx bench/signals.ts [PROCESSES] [PART OF A COMMAND'S NAME]
import {availableParallelism} from 'node:os';
import pLimit from 'p-limit';
import {
  longCommands,
  patientService,
  stopAt,
  stopSignals,
  waitingCommands,
} from '../test/support/stop-signals.js';
import {thirdPartyService} from '../test/support/third-party-service.js';

const [processes = '5', part = ''] = process.argv.slice(2);

/** Milliseconds. */
const moments = Array.from({length: 40}, (_, at) => 10 * (at + 1));

/** Milliseconds after which a process counts as one that has swallowed the signal. */
const longest = 30_000;

const {url, close} = await thirdPartyService(patientService);
const limit = pLimit(availableParallelism());
let failures = 0;
for (const [name, command] of Object.entries({...longCommands, ...waitingCommands})) {
  if (!name.includes(part)) continue;
  const faults = new Map<string, number>();
  const runs = stopSignals.flatMap((signal) =>
    moments.flatMap((delay) =>
      Array.from({length: Number(processes)}, () =>
        limit(async () => {
          const late = setTimeout(() => note(`still runs (${delay} ms)`), longest).unref();
          const note = (fault: string) => {
            const line = `${signal}: ${fault}`;
            faults.set(line, (faults.get(line) ?? 0) + 1);
          };
          const fault = await stopAt(command, {signal, delay, url});
          clearTimeout(late);
          if (fault !== undefined) note(`${fault} (${delay} ms)`);
        }),
      ),
    ),
  );
  await Promise.race([
    Promise.all(runs),
    new Promise((resolve) => setTimeout(resolve, runs.length * 1000 + longest).unref()),
  ]);
  console.log(`${name}: ${runs.length} processes, ${faults.size === 0 ? 'all ended well' : ''}`);
  for (const [line, count] of faults) console.log(`  ${line}: ${count}`);
  failures += faults.size;
}
await close();
process.exit(failures === 0 ? 0 : 1);

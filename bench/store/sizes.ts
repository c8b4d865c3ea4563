import {createReadStream} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {connect} from 'node:net';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {type Figure, mebibytes, milliseconds, times} from '../figures.js';
import {type Measure, using} from './compare.js';
import {connectorId, listRequest, makeFleet, openFleet} from './fleet.js';
import {type ServerProcess, startServe} from './servers.js';

const million = 1_000_000;
const minute = 60_000;
const day = 24 * 60 * minute;

/** Reads the whole list; milliseconds to its first byte, and its length in bytes. */
async function readList(server: ServerProcess): Promise<{firstByte: number; bytes: number}> {
  const socket = connect({port: server.port, host: '127.0.0.1'});
  await new Promise((resolve) => socket.once('connect', resolve));
  const startedAt = performance.now();
  socket.write(listRequest);
  let firstByte = Number.NaN;
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (bytes === 0) firstByte = performance.now() - startedAt;
    if (bytes === 0 && !chunk.toString('latin1').startsWith('HTTP/1.1 200')) {
      throw new Error(chunk.toString());
    }
    bytes += chunk.length;
    if (chunk.subarray(-5).toString('latin1') === '0\r\n\r\n') break;
  }
  socket.destroy();
  return {firstByte, bytes};
}

/** Memory that a list of 100,000 takes, and the time to its first byte. */
export const listing: Measure = async (directory) => {
  const store = path.join(directory, 'store');
  await makeFleet(store, 100_000);
  return using([startServe(store)], async ([server]) => {
    if (server === undefined) throw new Error('serve did not start');
    await server.resetPeak();
    const before = await server.memory();
    const cold = await readList(server);
    const warm = await readList(server);
    const {peak} = await server.memory();
    const grown = peak - before.now;
    const firstByte = Math.max(cold.firstByte, warm.firstByte);
    return [
      {
        what: 'list of 100,000: memory grown while it streams, twice',
        measured: mebibytes(grown),
        against: `${mebibytes(cold.bytes)} sent each time`,
        ratio: '',
        target: 'at most 64 MiB',
        reached: grown <= 64 * 1024 * 1024,
      },
      {
        what: 'list of 100,000: first byte',
        measured: milliseconds(firstByte),
        against: '',
        ratio: '',
        target: 'within 50 ms',
        reached: firstByte <= 50,
      },
    ];
  });
};

/** Milliseconds to read and parse the lines of a directory, without anything else. */
async function plainRead(directory: string): Promise<number> {
  const startedAt = performance.now();
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.jsonl')) continue;
    const input = createReadStream(path.join(directory, name));
    for await (const line of createInterface({input})) JSON.parse(line);
  }
  return performance.now() - startedAt;
}

/** Duration and memory of a start, with and without as many used tokens. */
export const start: Measure = async (directory) => {
  const figures: Figure[] = [];
  for (const tokens of [0, million]) {
    const store = path.join(directory, 'store');
    await makeFleet(store, million, tokens);
    const plain = await plainRead(store);
    const name = `1,000,000 connectors${tokens === 0 ? '' : ' and as many used tokens'}`;
    await using([startServe(store)], async ([server]) => {
      if (server === undefined) throw new Error('serve did not start');
      const {now} = await server.memory();
      figures.push(
        {
          what: `start, ${name}`,
          measured: `${(server.startMilliseconds / 1000).toFixed(1)} s`,
          against: `plain read and JSON.parse: ${(plain / 1000).toFixed(1)} s`,
          ratio: times(server.startMilliseconds / plain),
          target: 'at most 2 ×',
          reached: server.startMilliseconds <= 2 * plain,
        },
        {
          what: `resident memory for each of ${name}`,
          measured: `${Math.round(now / million)} bytes`,
          against: `${mebibytes(now)} in all`,
          ratio: '',
          target: 'at most 600 bytes',
          reached: now / million <= 600,
        },
      );
    });
  }
  return figures;
};

/** The bytes of a directory's files. */
export async function sizeOf(directory: string): Promise<number> {
  let size = 0;
  for (const name of await readdir(directory)) {
    // A file of a compaction may be renamed or removed between the two calls.
    size += await stat(path.join(directory, name)).then(
      (stats) => stats.size,
      () => 0,
    );
  }
  return size;
}

/** Size of a store after a day of heartbeats every minute, and its maximum in between. */
export const diskUse: Measure = async (parent) => {
  const fleet = 5000;
  const directory = path.join(parent, 'store');
  await makeFleet(directory, fleet);
  const startedAt = Date.now() - day;
  const store = await openFleet(directory, () => startedAt);
  let largest = 0;
  let sent = 0;
  const total = (fleet * day) / minute;
  const beat = async (): Promise<void> => {
    while (sent < total) {
      const number = sent % fleet;
      const at = startedAt + Math.floor(sent / fleet) * minute + number;
      sent += 1;
      await store.recordHeartbeat(connectorId(number), at, {organization: 'default'});
      if (sent % 5000 === 0) largest = Math.max(largest, await sizeOf(directory));
    }
  };
  await Promise.all(Array.from({length: 64}, beat));
  await store.close();
  const after = await sizeOf(directory);
  const again = await openFleet(directory);
  await again.compact();
  const compact = await sizeOf(directory);
  await again.close();
  const figure = (what: string, size: number): Figure => ({
    what,
    measured: mebibytes(size),
    against: `freshly compacted: ${mebibytes(compact)}`,
    ratio: times(size / compact),
    target: 'at most 3 ×',
    reached: size / compact <= 3,
  });
  return [
    figure('disk after a day of heartbeats, 5,000 connectors', after),
    figure('disk on that day, at the most', largest),
  ];
};

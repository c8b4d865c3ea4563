import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Whether `wrk` is installed (Debian has it as a package). */
export function hasWrk(): boolean {
  return spawnSync('wrk', ['-v'], {stdio: 'ignore'}).error === undefined;
}

/** A load that `wrk` makes with one thread. */
interface WrkLoad {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** A file with `METHOD PATH KEY` on each line; the lines are sent in order. */
  readonly file: string;
}

/** Sends requests with `wrk -t1`. @throws Error unless every response is a success */
export async function runWrk({port, connections, seconds, file}: WrkLoad) {
  const child = spawn(
    'wrk',
    // It takes whole seconds only.
    [
      ...['-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`, '-s', script],
      ...[`http://127.0.0.1:${port}`, '--', file],
    ],
    {stdio: ['ignore', 'pipe', 'inherit']},
  );
  const closed = once(child, 'close');
  const output = await text(child.stdout);
  await closed;
  const [, requests, microseconds, failed] = /^result (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (failed !== '0' || Number(requests) === 0) throw new Error(`wrk failed:\n${output}`);
  return {requests: Number(requests), perSecond: (Number(requests) / Number(microseconds)) * 1e6};
}

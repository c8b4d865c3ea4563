import {once} from 'node:events';
import {connect, type Socket} from 'node:net';

/** A load on one server. `next` returns the bytes of one request. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly next: () => Buffer;
  /** Requests per second; undefined: as many as possible. */
  readonly rate?: number;
}

/** A request: when it was due, and after how many milliseconds its response was complete. */
export interface Sample {
  readonly due: number;
  readonly took: number;
}

/** The result of a load. */
interface LoadResult {
  readonly perSecond: number;
  readonly samples: readonly Sample[];
}

const headEnd = Buffer.from('\r\n\r\n');

/** Whether some bytes are a whole response. @throws Error unless it is a success */
function isWholeResponse(bytes: Buffer): boolean {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return false;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 2')) throw new Error(bytes.toString('utf8', 0, end + 400));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return bytes.subarray(-5).equals(Buffer.from('0\r\n\r\n'));
  return bytes.length >= end + headEnd.length + Number(length);
}

/** Sends requests for some seconds over so many connections, and waits for every response. */
export async function run(load: Load): Promise<LoadResult> {
  const samples: Sample[] = [];
  const idle: Lane[] = [];
  let finish: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const lanes = Array.from({length: load.connections}, () => new Lane(load, fail));
  await Promise.all(lanes.map((lane) => lane.open()));
  const startedAt = performance.now();
  const end = startedAt + load.seconds * 1000;
  let busy = 0;
  let ended = false;

  const send = (lane: Lane, due: number): void => {
    busy += 1;
    lane.send(() => {
      busy -= 1;
      const now = performance.now();
      samples.push({due, took: now - due});
      ended ||= now >= end;
      if (!ended && load.rate === undefined) send(lane, now);
      else idle.push(lane);
      if (ended && busy === 0) finish();
    });
  };
  if (load.rate === undefined) for (const lane of lanes) send(lane, startedAt);
  else {
    idle.push(...lanes);
    await Promise.race([pace(load.rate, startedAt, end, idle, send), finished]);
    ended = true;
    if (busy === 0) finish();
  }
  await finished;
  const seconds = (performance.now() - startedAt) / 1000;
  for (const lane of lanes) lane.close();
  return {perSecond: samples.length / seconds, samples};
}

/** Sends at a rate; a request that finds no free connection waits for one, and the wait counts. */
async function pace(
  rate: number,
  startedAt: number,
  end: number,
  idle: Lane[],
  send: (lane: Lane, due: number) => void,
): Promise<void> {
  let sent = 0;
  while (performance.now() < end) {
    for (;;) {
      const due = startedAt + (sent / rate) * 1000;
      if (due > performance.now()) break;
      const lane = idle.pop();
      if (lane === undefined) break;
      send(lane, due);
      sent += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A connection with one request in flight at a time. */
class Lane {
  readonly #next: () => Buffer;
  readonly #fail: (error: unknown) => void;
  readonly #socket: Socket;
  #received: Buffer | undefined;
  #onResponse: () => void = () => {};

  constructor({port, next}: Load, fail: (error: unknown) => void) {
    this.#next = next;
    this.#fail = fail;
    this.#socket = connect({port, host: '127.0.0.1', noDelay: true});
    this.#socket.on('error', fail);
    this.#socket.on('data', (chunk) => this.#take(chunk));
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect');
  }

  send(onResponse: () => void): void {
    this.#onResponse = onResponse;
    this.#socket.write(this.#next());
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    try {
      if (!isWholeResponse(this.#received)) return;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#received = undefined;
    this.#onResponse();
  }

  close(): void {
    this.#socket.destroy();
  }
}

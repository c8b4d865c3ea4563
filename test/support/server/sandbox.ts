import {endpoints, fillPath, type Operation} from '../../../src/contract/index.js';
import {sandboxRoutes} from '../../../src/contract/sandbox.js';
import {type StartOptions, startSandbox as start} from '../../../src/server/sandbox/start.js';
import {atEndOfTest} from '../process/at-end-of-test.js';
import {keepingLog} from './logs.js';
import {open, readAll} from './raw-http.js';

/** A running sandbox, called over HTTP. */
export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

interface CallOptions {
  readonly id?: string;
  readonly body?: object;
  readonly query?: string;
}

/** Starts a sandbox in this process. It ends with the test that starts it. */
export async function startSandbox(options: StartOptions = {}) {
  const {log, lines} = keepingLog();
  const {url, key, ...running} = await start({log, ...options});
  const authorization = `Bearer ${key.secret}`;
  const target = (operation: Operation, {id = '', query = ''}: CallOptions) =>
    `${fillPath(endpoints[operation].path, {id})}${query}`;
  /** Calls a control route, and returns its JSON. */
  const control = async <Result = unknown>(
    route: keyof typeof sandboxRoutes,
    body?: object,
  ): Promise<Result> => {
    const {method, path} = sandboxRoutes[route];
    const response = await fetch(url + path, {
      method,
      ...(body && {body: JSON.stringify(body)}),
    });
    const content = JSON.parse(await response.text());
    if (!response.ok) throw new Error(JSON.stringify(content));
    return content;
  };
  return {
    url,
    key: key.secret,
    control,
    /** Calls an operation of the interface with the API key. */
    call: (operation: Operation, call: CallOptions = {}) =>
      fetch(url + target(operation, call), {
        method: endpoints[operation].method,
        headers: {authorization},
        ...(call.body && {body: JSON.stringify(call.body)}),
      }),
    /** Calls an operation on a new connection, and returns everything received until it closes. */
    raw(operation: Operation, call: CallOptions = {}) {
      const body = call.body === undefined ? '' : JSON.stringify(call.body);
      const head = [
        `${endpoints[operation].method} ${target(operation, call)} HTTP/1.1`,
        'host: 127.0.0.1',
        `authorization: ${authorization}`,
        `content-length: ${body.length}`,
        'connection: close',
      ];
      return readAll(open(url, `${head.join('\r\n')}\r\n\r\n${body}`));
    },
    /** The requests that were answered so far, as the log of the service has them. */
    requests: () =>
      lines.flatMap(({message, fields}) =>
        message === 'request' ? [fields as {method: string; route: string; status: number}] : [],
      ),
    close: atEndOfTest(() => running.close()),
  };
}

/** The body of a response as JSON. */
export async function json(response: Response | Promise<Response>) {
  return JSON.parse(await (await response).text());
}

/** Starts a sandbox for each test of a suite, by default with a frozen clock. */
export function eachWithSandbox(options: StartOptions = {seed: 1}) {
  const holder: {sandbox: RunningSandbox} = {sandbox: undefined as never};
  beforeEach(async () => {
    holder.sandbox = await startSandbox(options);
  });
  return holder;
}

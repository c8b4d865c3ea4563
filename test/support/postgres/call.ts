import {headers} from '../../../src/contract/index.js';

/** The response of a service. */
export interface Response<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Everything that a call sends except its path. */
export interface Call {
  readonly key: string;
  /** Sent with POST; without a body the call is a GET. */
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Calls a service. `Body` is the expected type of the response body. */
export async function call<Body>(
  base: string,
  path: string,
  {key, body, idempotencyKey}: Call,
): Promise<Response<Body>> {
  const response = await fetch(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      [headers.authorization]: `Bearer ${key}`,
      ...(idempotencyKey && {[headers.idempotencyKey]: idempotencyKey}),
    },
    ...(body && {body: JSON.stringify(body)}),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Body,
  };
}

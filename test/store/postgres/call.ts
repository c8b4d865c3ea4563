import {headers} from '../../../src/contract/index.js';

/** What a service answered. */
export interface Response<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** What to send beside the path. */
export interface Call {
  readonly key: string;
  /** Makes it a POST. */
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Calls a service. `Body` is what its answer is expected to hold. */
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

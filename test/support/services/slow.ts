import {EventEmitter, once} from 'node:events';
import type {ServerResponse} from 'node:http';
import {thirdPartyService} from '../third-party.js';

/** A service that responds when the test calls `response`. */
export async function slowService() {
  const requests = new EventEmitter();
  const waiting: ServerResponse[] = [];
  const {url} = await thirdPartyService((_, response) => {
    waiting.push(response);
    requests.emit('request');
  });
  const next = async () => {
    if (waiting.length === 0) await once(requests, 'request');
    return waiting.shift()!;
  };
  return {
    url,
    env: {CONNECTORCTL_BASE_URL: url},
    response: async (body: unknown) => (await next()).end(JSON.stringify(body)),
    begin: async (text: string) => {
      const response = await next();
      response.write(text);
      return response;
    },
  };
}

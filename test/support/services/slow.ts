import type {ServerResponse} from 'node:http';
import {thirdPartyService} from '../third-party.js';

/** A service that responds when the test calls `response`. */
export async function slowService() {
  const responses: ServerResponse[] = [];
  const {url, requested} = await thirdPartyService((_, response) => void responses.push(response));
  let next = 0;
  return {
    url,
    env: {CONNECTORCTL_BASE_URL: url},
    async response(body: unknown) {
      next += 1;
      await requested(next);
      responses[next - 1]?.end(JSON.stringify(body));
    },
  };
}

import type {ServerResponse} from 'node:http';
import {thirdPartyService} from '../third-party.js';

/** A service that responds when the test calls `response`. */
export async function slowService() {
  const responses: ServerResponse[] = [];
  const {url, requested} = await thirdPartyService((_, response) => void responses.push(response));
  let next = 0;
  const nextResponse = async () => {
    next += 1;
    await requested(next);
    return responses[next - 1]!;
  };
  return {
    url,
    env: {CONNECTORCTL_BASE_URL: url},
    response: async (body: unknown) => (await nextResponse()).end(JSON.stringify(body)),
    begin: async (text: string) => {
      const response = await nextResponse();
      response.write(text);
      return response;
    },
  };
}

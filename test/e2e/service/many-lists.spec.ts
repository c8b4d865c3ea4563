import {expect} from 'chai';
import {heapOptions} from '../../support/heap.js';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** As many requests at once as `fetch` sends. */
const atOnce = 50;

describe('a service with a heap of 32 MiB and 1,000 connectors', () => {
  const at = temporaryDirectory();
  let service: Service;
  let headers: Record<string, string>;

  beforeEach(async () => {
    const options = {env: {NODE_OPTIONS: heapOptions(32)}};
    service = await startService(at('store'), ['--log-level', 'warn'], options);
    const key = await runChild(['key', 'create', '--store', at('store')]);
    headers = {authorization: `Bearer ${key.stdout.trim()}`};
    let left = 1000;
    const activate = async () => {
      while (left > 0) {
        left -= 1;
        const name = `machine ${left}`;
        const {token} = await call('/create-token', {method: 'POST', headers});
        await call('/activate', {method: 'POST', body: JSON.stringify({token, name})});
      }
    };
    await Promise.all(Array.from({length: atOnce}, activate));
  });

  async function call(path: string, options: RequestInit): Promise<Record<string, string>> {
    const response = await fetch(`${service.url}/api/connectors${path}`, options);
    expect(response.status).to.equal(201);
    return (await response.json()) as Record<string, string>;
  }

  for (const [what, query] of [
    ['lists', ''],
    ['pages', '?limit=1000'],
  ] as const) {
    it(`answers 250 ${what} at once, or asks to come back`, async () => {
      const answers = await Promise.all(
        Array.from({length: 250}, async () => {
          const response = await fetch(`${service.url}/api/connectors${query}`, {headers});
          const body = (await response.json()) as unknown[];
          if (response.status === 503) return `503, ${response.headers.get('retry-after')}`;
          expect(body).to.have.length(1000);
          return response.status;
        }),
      );
      expect(new Set(answers)).to.deep.equal(new Set([200, '503, 1']));
      const ready = await fetch(`${service.url}/readyz`);
      expect(ready.status).to.equal(200);
    });
  }
});

import {expect} from 'chai';
import {heapOptions} from '../../support/heap.js';
import {runChild, type Service, startService} from '../../support/process/child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

/** Requests that the flood sends at once; more would only wait in the service. */
const atOnce = 64;

const description = '☃'.repeat(256);

describe('a service with a heap of 64 MiB, ten times flooded with tokens by one organization and started again', () => {
  const at = temporaryDirectory();
  let service: Service;

  afterEach(() => service.stop('SIGKILL'));

  /** Sends a request with an API key. */
  async function call(key: string, method: string, path: string, body?: object) {
    const response = await fetch(`${service.url}/api/connectors${path}`, {
      method,
      headers: {authorization: `Bearer ${key}`},
      ...(body && {body: JSON.stringify(body)}),
    });
    const result = (await response.json()) as Record<string, string>;
    return {status: response.status, result};
  }

  /** Creates tokens until one is refused, by each of several senders. @returns the refusals */
  function flood(key: string) {
    return Promise.all(
      Array.from({length: atOnce}, async () => {
        for (;;) {
          const answer = await call(key, 'POST', '/create-token', {
            description,
            ttl_seconds: 86_400,
          });
          if (answer.status !== 201) return answer;
        }
      }),
    );
  }

  /** What another organization does meanwhile: it activates, sends heartbeats and lists. @returns connectors so far */
  async function work(key: string, until: Promise<unknown>): Promise<number> {
    let isOver = false;
    until.finally(() => {
      isOver = true;
    });
    for (let count = 1; ; count += 1) {
      const {result, status} = await call(key, 'POST', '/create-token');
      expect(status).to.equal(201);
      const {token} = result;
      const made = await call(key, 'POST', '/activate', {token, name: `machine ${count}`});
      expect(made.status).to.equal(201);
      const {id = '', api_key = ''} = made.result;
      expect((await call(api_key, 'POST', `/${id}/heartbeat`)).status).to.equal(200);
      expect((await call(key, 'GET', '')).status).to.equal(200);
      if (isOver) return count;
    }
  }

  it('refuses the tokens beyond half of the heap for records with 507, and every request of another organization succeeds', async () => {
    const options = {env: {NODE_OPTIONS: heapOptions(64)}};
    let connectors = 0;
    const keys: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      service = await startService(at('store'), ['--log-level', 'warn'], options);
      while (keys.length < 2) {
        const argv = [
          'key',
          'create',
          '--store',
          at('store'),
          '--organization',
          `org-${keys.length}`,
        ];
        keys.push((await runChild(argv)).stdout.trim());
      }
      const [greedy = '', other = ''] = keys;
      const flooding = flood(greedy);
      connectors += await work(other, flooding);
      for (const {status, result} of await flooding) {
        expect([status, result['code']]).to.deep.equal([507, 'store_full']);
      }
      const list = await call(other, 'GET', '');
      expect(Object.values(list.result).flat()).to.have.length.at.least(connectors);
      // As after a crash, without a compaction.
      await service.stop('SIGKILL');
    }
  });
});

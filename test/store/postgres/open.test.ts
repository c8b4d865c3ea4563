import {openPostgresStore} from '../../../src/store/postgres/store.js';
import {tcpService} from '../../support/network/tcp-service.js';
import {keepingLog} from '../../support/server/logs.js';
import {expectKind, rejection} from '../../support/store/samples.js';

describe('the wait for a PostgreSQL database', () => {
  /** Longer than the time limit of a test. */
  const patient = {retryPeriod: 600_000, response: 600_000, shutdown: 600_000};

  for (const [what, answer] of [
    ['accepts a connection and never answers', false],
    ['refuses each connection', true],
  ] as const) {
    it(`ends with its signal at a server that ${what}`, async () => {
      const stop = new AbortController();
      const {port} = await tcpService((socket) => {
        if (answer) socket.destroy();
        stop.abort();
      });
      const options = {log: keepingLog().log, now: Date.now, waitUntil: stop.signal};
      const opened = openPostgresStore(`postgres://a@127.0.0.1:${port}/x`, options, patient);
      expectKind(await rejection(opened), 'unavailable');
    });
  }
});

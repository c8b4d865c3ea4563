import {expect} from 'chai';
import {longCommands, patientService, stopAt} from '../support/process/stop-signals.js';
import {thirdPartyService} from '../support/third-party.js';

describe('a signal to connector run', () => {
  for (const [signal, delay] of [
    ['SIGHUP', 0],
    ['SIGINT', 100],
    ['SIGTERM', 400],
  ] as const) {
    it(`ends it with a documented code: ${signal} after ${delay} ms`, async () => {
      const {url} = await thirdPartyService(patientService);
      const command = longCommands['connector run']!;
      expect(await stopAt(command, {signal, delay, url})).to.equal(undefined);
    });
  }
});

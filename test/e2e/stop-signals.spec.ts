import {expect} from 'chai';
import {
  longCommands,
  patientService,
  stopAt,
  stopSignals,
} from '../support/process/stop-signals.js';
import {type ThirdPartyService, thirdPartyService} from '../support/third-party.js';

/** Milliseconds. Each signal comes at every third of them. */
const moments = Array.from({length: 21}, (_, at) => 20 * at);

describe('a signal in the first 400 ms', () => {
  let service: ThirdPartyService;
  before(async () => {
    service = await thirdPartyService(patientService);
  });
  after(() => service.close());

  for (const [name, command] of Object.entries(longCommands)) {
    it(`ends ${name} with a documented code at any moment, and leaves nothing behind`, async () => {
      const faults = await Promise.all(
        stopSignals.map(async (signal, turn) => {
          const found: string[] = [];
          for (const delay of moments.filter((_, at) => at % stopSignals.length === turn)) {
            const fault = await stopAt(command, {signal, delay, url: service.url});
            if (fault !== undefined) found.push(`${signal} at ${delay} ms: ${fault}`);
          }
          return found;
        }),
      );
      expect(faults.flat()).to.deep.equal([]);
    });
  }
});

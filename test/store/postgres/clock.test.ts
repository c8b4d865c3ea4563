import {expect} from 'chai';
import {openPostgresStore} from '../../../src/store/postgres/open.js';
import {makeTestDatabase, type TestDatabase} from '../../support/postgres.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {minute} from '../../support/store/samples.js';

const isOff = /^clock skew between this process and the database/;
const isRight = /^no clock skew between this process and the database any more/;

describe('a process whose clock differs from the clock of its PostgreSQL database', () => {
  let database: TestDatabase;
  let log: RecordedLog;
  /** Milliseconds by which the clock of the process is ahead. */
  let ahead: number;

  beforeEach(async () => {
    database = await makeTestDatabase();
    log = new RecordedLog();
    ahead = 0;
  });

  afterEach(() => database.drop());

  const open = () => openPostgresStore(database.url, {log, now: () => Date.now() + ahead});

  /** The level of each log entry about the clock, and by how many seconds the clock is ahead. */
  const said = () =>
    log.entries
      .filter(({message}) => isOff.test(message) || isRight.test(message))
      .map(({level, details}) => [level, details['seconds_ahead']]);

  for (const off of [-5 * minute, 5 * minute]) {
    it(`logs a warning at start when its clock is 5 minutes ${off > 0 ? 'ahead' : 'behind'}`, async () => {
      ahead = off;
      const before = performance.now();
      await (await open()).close();
      const elapsed = (performance.now() - before) / 1000;
      expect(said()).to.have.length(1);
      const [[level, seconds]] = said() as [[string, number]];
      expect(level).to.equal('warn');
      expect(seconds).to.be.closeTo(off / 1000, elapsed + 1);
    });
  }

  it('logs once when the clock skew begins, and once when it ends', async () => {
    const store = await open();
    await store.check();
    expect(said()).to.deep.equal([]);
    ahead = minute;
    for (let round = 0; round < 3; round += 1) await store.check();
    expect(said().map(([level]) => level)).to.deep.equal(['warn']);
    ahead = 0;
    for (let round = 0; round < 3; round += 1) await store.check();
    expect(said().map(([level]) => level)).to.deep.equal(['warn', 'info']);
    await store.close();
  });
});

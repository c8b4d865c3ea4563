import {expect} from 'chai';
import {startChild} from '../../support/json-file/child-process.js';
import {useStoreDirectory} from '../../support/json-file/fixture.js';
import {listAll} from '../../support/store/samples.js';

describe('the lock of a JSON file store', () => {
  const directory = useStoreDirectory();

  it('goes to one of many simultaneous starters, also when they find the lock of a killed process', async function () {
    this.timeout(180_000);
    const activated: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const many = Array.from({length: 8}, (_, index) =>
        startChild({directory: directory.path, prefix: `${round}-${index}`}),
      );
      await Promise.all(many.map((child) => child.waitForReports(1)));
      const reports = many.map((child) => child.reports[0]);
      expect(reports.filter((report) => report?.did === 'open')).to.have.length(1);
      for (const report of reports) {
        if (report?.did === 'fail') expect(report.kind, report.message).to.equal('locked');
      }
      const winner = many.find((child) => child.reports[0]?.did === 'open');
      if (winner === undefined) throw new Error('no process opened the store');
      const redeemed = () =>
        winner.reports.flatMap((report) => (report.did === 'redeem' ? [report.connectorId] : []));
      while (redeemed().length === 0) await winner.waitForReports(winner.reports.length + 1);
      await Promise.all(many.map((child) => child.kill()));
      activated.push(...redeemed());
    }
    const store = await directory.open();
    const listed = (await listAll(store, 'acme')).map(({id}) => id);
    expect(listed).to.include.members(activated);
    await store.close();
  });
});

// Mocha's spec reporter, closed by the totals in one plain line that any CI can read.
const {reporters, Runner} = require('mocha');

module.exports = class TotalsReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures} = this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed\n`);
    });
  }
};

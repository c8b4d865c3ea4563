// Mocha's spec reporter. It prints the totals as one plain last line that any CI can read, or writes them
// to the file named by TEST_TOTALS, for `scripts/test.js`.
const {writeFileSync} = require('node:fs');
const {reporters, Runner} = require('mocha');

module.exports = class TotalsReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures} = this.stats;
      const file = process.env['TEST_TOTALS'];
      if (file) writeFileSync(file, JSON.stringify({passes, failures}));
      else process.stdout.write(`${passes} passed, ${failures} failed\n`);
    });
  }
};

// Mocha's spec reporter. It ends with the totals in one plain line that any CI can read, or leaves them
// in the file that TEST_TOTALS names, for `scripts/test.js`.
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

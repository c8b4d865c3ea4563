// Mocha's spec reporter and, for `scripts/test.ts`, its dot reporter. At the end it prints the slowest tests,
// the command that runs each failed test again, and the totals as one plain line that any CI can read; or it
// writes all this to the file named by TEST_RESULTS, for `scripts/test.ts`.
const {writeFileSync} = require('node:fs');
const {relative} = require('node:path');
const {reporters, Runner} = require('mocha');

const file = process.env['TEST_RESULTS'];
const shown = 10;

/** The word in single quotes, as a shell reads it. */
const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** The command that runs a failed test again, or all tests around a failed hook. */
function again(runnable, error) {
  const path = runnable.file ?? error?.file;
  const target = process.env['TEST_TARGET'];
  const named = {test: runnable, hook: runnable.parent}[runnable.type];
  const title = named?.fullTitle() ?? '';
  return [
    ...(target ? [`TEST_TARGET=${target}`] : []),
    'npx mocha',
    ...(path ? [quote(relative(process.cwd(), path)).replace(/^'([\w./-]+)'$/, '$1')] : []),
    ...(title ? ['-f', quote(title)] : []),
  ].join(' ');
}

module.exports = class ProjectReporter extends (file ? reporters.Dot : reporters.Spec) {
  constructor(runner, options) {
    super(runner, options);
    const tests = [];
    const failed = [];
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => {
      tests.push({title: `${test.fullTitle()} (${pathOf(test)})`, duration: test.duration ?? 0});
    });
    let isOver = false;
    runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      failed.push(again(test, error));
      // A file that cannot be loaded in a parallel run: mocha counts it after its report.
      if (isOver) process.stdout.write(`\n${error.stack}\n`);
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      isOver = true;
    });
    process.once('exit', () => {
      const [passes, failures] = [tests.length, failed.length];
      const results = {passes, failures, slowest: slowestOf(tests), failed};
      if (file) writeFileSync(file, JSON.stringify(results));
      else process.stdout.write(`${summary(results)}\n${passes} passed, ${failures} failed\n`);
    });
  }
};

const pathOf = ({file: path}) => (path ? relative(process.cwd(), path) : '');

const slowestOf = (tests) => tests.sort((a, b) => b.duration - a.duration).slice(0, shown);

/** The slowest tests, and how to run the failed ones again. */
function summary({slowest, failed}) {
  const slow = slowestOf([...slowest]).filter(({duration}) => duration >= 1000);
  return [
    ...(slow.length > 0 ? ['Slowest tests:'] : []),
    ...slow.map(({title, duration}) => `  ${(duration / 1000).toFixed(1)} s  ${title}`),
    ...(failed.length > 0 ? ['Run the failed tests again:'] : []),
    ...failed.map((command) => `  ${command}`),
  ].join('\n');
}

module.exports.summary = summary;

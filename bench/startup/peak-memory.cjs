// Loaded into a child process before the command line: leaves the most memory that it ever held, in
// KiB, in the file that BENCH_PEAK names. Not what the system accounts to the process: that has the
// process that started it in it.
const {readFileSync, writeFileSync} = require('node:fs');

process.once('exit', () => {
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  writeFileSync(process.env.BENCH_PEAK, peak);
});

// Loaded into a child process before the command line: writes its peak memory, in KiB, to the file that
// BENCH_PEAK names. Not as the system accounts it to the process, because that includes the process that
// started it.
const {readFileSync, writeFileSync} = require('node:fs');

process.once('exit', () => {
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  writeFileSync(process.env.BENCH_PEAK, peak);
});

// Loaded into a child process before the command line. Writes the most memory that it had, in MiB. On Linux not as the
// system accounts it to the process, because that includes the process that started it.
const {existsSync, readFileSync, writeFileSync} = require('node:fs');

process.on('exit', () => {
  const file = '/proc/self/status';
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(Number(peak) / 1024));
});

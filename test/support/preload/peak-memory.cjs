// Loaded into a child process before the command line. Writes the most memory that it had, in MiB.
const {writeFileSync} = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS / 1024));
});

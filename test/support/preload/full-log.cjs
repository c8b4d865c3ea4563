// Loaded into a child process before the command line. Simulates a log on a full disk.
const fs = require('node:fs');

const {write, writeSync} = fs;
const stderr = 2;
const full = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), {errno: -28, code: 'ENOSPC'});

fs.write = (descriptor, ...rest) => {
  if (descriptor !== stderr) return write(descriptor, ...rest);
  process.nextTick(rest.at(-1), full());
};

fs.writeSync = (descriptor, ...rest) => {
  if (descriptor === stderr) throw full();
  return writeSync(descriptor, ...rest);
};

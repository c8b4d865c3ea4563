// Loaded into a child process before the command line: a disk on which a few small files fit still.
const fs = require('node:fs');

const {write} = fs;
const room = 1024;

fs.write = (descriptor, data, ...rest) => {
  if (Buffer.byteLength(data) <= room) return write(descriptor, data, ...rest);
  const full = new Error('ENOSPC: no space left on device, write');
  process.nextTick(rest.at(-1), Object.assign(full, {errno: -28, code: 'ENOSPC'}));
};

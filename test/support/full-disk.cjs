// Loaded into a child process before the command line. Simulates a disk with room for some small files
// and for one more large file that is written through a file handle.
const fs = require('node:fs');
const files = require('node:fs/promises');

const {write} = fs;
const {open} = files;
const small = 1024;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
let isFull = false;

fs.write = (descriptor, data, ...rest) => {
  if (Buffer.byteLength(data) <= small) return write(descriptor, data, ...rest);
  process.nextTick(rest.at(-1), full());
};

files.open = async (...args) => {
  const handle = await open(...args);
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = async (data) => {
    if (Buffer.byteLength(data) <= small) return writeFile(data);
    if (isFull) throw full();
    isFull = true;
    return writeFile(data);
  };
  return handle;
};

// Loaded into a child process before the command line: a disk with room for one more large file.
const files = require('node:fs/promises');

const {open} = files;
const small = 1024;
let isFull = false;

files.open = async (...args) => {
  const handle = await open(...args);
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = async (data) => {
    if (Buffer.byteLength(data) <= small) return writeFile(data);
    if (isFull) throw Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
    isFull = true;
    return writeFile(data);
  };
  return handle;
};

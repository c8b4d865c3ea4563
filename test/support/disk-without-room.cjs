// Loaded into a child process before the command line. Simulates a disk that has room for TEST_DISK_ROOM blocks
// of 4 KiB in files that the process opens with openSync: a write takes what fits, and fails if nothing does.
const files = require('node:fs');

const block = 4096;
const {openSync, closeSync, writeSync, ftruncateSync, fstatSync} = files;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
const opened = new Set();
let room = Number(process.env.TEST_DISK_ROOM);

const blocksOf = (size) => Math.ceil(size / block);

files.openSync = (...args) => {
  const file = openSync(...args);
  opened.add(file);
  return file;
};

files.closeSync = (file) => {
  opened.delete(file);
  closeSync(file);
};

files.writeSync = (file, buffer, offset, length, position) => {
  if (!opened.has(file)) return writeSync(file, buffer, offset, length, position);
  const before = blocksOf(fstatSync(file).size);
  const fitting = Math.min(length, (before + room) * block - position);
  if (fitting <= 0) throw full();
  const written = writeSync(file, buffer, offset, fitting, position);
  room -= blocksOf(fstatSync(file).size) - before;
  return written;
};

files.ftruncateSync = (file, length) => {
  const before = blocksOf(fstatSync(file).size);
  ftruncateSync(file, length);
  room += before - blocksOf(fstatSync(file).size);
};

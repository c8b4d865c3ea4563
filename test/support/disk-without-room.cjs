// Loaded into a child process before the command line. Simulates a disk on which TEST_DISK_ROOM files can
// be created; after that every new file has no room for its content. Existing files keep theirs.
const files = require('node:fs');

const {openSync, writeSync} = files;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
const withoutRoom = new Set();
let room = Number(process.env.TEST_DISK_ROOM);

files.openSync = (path, flags, ...rest) => {
  const file = openSync(path, flags, ...rest);
  withoutRoom.delete(file);
  if (typeof flags !== 'string' || !flags.includes('x') || /lock-/.test(path)) return file;
  if (room > 0) room -= 1;
  else withoutRoom.add(file);
  return file;
};

files.writeSync = (file, ...rest) => {
  if (withoutRoom.has(file)) throw full();
  return writeSync(file, ...rest);
};

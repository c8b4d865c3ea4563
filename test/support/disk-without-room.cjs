// Loaded into a child process before the command line. Simulates a disk on which TEST_DISK_ROOM files can
// be created; after that every new file has no room for its content. Existing files keep theirs.
const files = require('node:fs/promises');

const {open} = files;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
let room = Number(process.env.TEST_DISK_ROOM);

files.open = async (path, flags, ...rest) => {
  const handle = await open(path, flags, ...rest);
  if (typeof flags !== 'string' || !flags.includes('x') || /lock-/.test(path)) return handle;
  if (room > 0) {
    room -= 1;
    return handle;
  }
  handle.write = async () => {
    throw full();
  };
  handle.writeFile = handle.write;
  return handle;
};

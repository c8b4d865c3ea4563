// Loaded into a child process before the command line. Simulates a disk with room for small files and for
// FULL_DISK_ROOM large ones, which do not grow.
const files = require('node:fs/promises');

const {open} = files;
const small = 1024;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
let room = Number(process.env.FULL_DISK_ROOM);

files.open = async (...args) => {
  const handle = await open(...args);
  const {write, writeFile} = handle;
  handle.writeFile = async (data) => {
    if (Buffer.byteLength(data) > small) {
      if (room === 0) throw full();
      room -= 1;
    }
    return writeFile.call(handle, data);
  };
  handle.write = async (data, offset, length, position) => {
    if (position + length > Math.max(small, (await handle.stat()).size)) throw full();
    return write.call(handle, data, offset, length, position);
  };
  return handle;
};

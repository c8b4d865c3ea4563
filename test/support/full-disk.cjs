// Loaded into a child process before the command line. Simulates a disk with room for small files and for
// FULL_DISK_ROOM large ones.
const files = require('node:fs/promises');

const {open} = files;
const small = 1024;
let room = Number(process.env.FULL_DISK_ROOM);

files.open = async (...args) => {
  const handle = await open(...args);
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = async (data) => {
    if (Buffer.byteLength(data) <= small) return writeFile(data);
    if (room === 0) throw Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
    room -= 1;
    return writeFile(data);
  };
  return handle;
};

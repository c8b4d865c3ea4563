// Loaded into a child process before the command line. Simulates a disk that has room for TEST_DISK_ROOM blocks
// of 4 KiB in files that the process creates: a write fails unless all of it fits.
const files = require('node:fs/promises');

const block = 4096;
const {open, unlink, rename} = files;
const full = () => Object.assign(new Error('ENOSPC: write'), {errno: -28, code: 'ENOSPC'});
let room = Number(process.env.TEST_DISK_ROOM);

const blocksOf = (size) => Math.ceil(size / block);

files.open = async (path, flags, ...rest) => {
  const handle = await open(path, flags, ...rest);
  if (flags !== 'wx') return handle;
  /** Accounts for a change of the size before it is made. */
  const resize = async (size) => {
    const more = blocksOf(size) - blocksOf((await handle.stat()).size);
    if (more > room) throw full();
    room -= more;
  };
  const {write, writeFile, truncate} = handle;
  handle.write = async (data, offset, length, position) => {
    await resize(Math.max((await handle.stat()).size, position + length));
    return write.call(handle, data, offset, length, position);
  };
  handle.writeFile = async (data) => {
    await resize(Buffer.byteLength(data));
    return writeFile.call(handle, data);
  };
  handle.truncate = async (size) => {
    await resize(size);
    return truncate.call(handle, size);
  };
  return handle;
};

files.unlink = async (path) => {
  const {size, nlink} = await files.stat(path).catch(() => ({size: 0, nlink: 0}));
  await unlink(path);
  if (nlink === 1) room += blocksOf(size);
};

files.rename = async (from, to) => {
  const {size} = await files.stat(to).catch(() => ({size: 0}));
  await rename(from, to);
  room += blocksOf(size);
};

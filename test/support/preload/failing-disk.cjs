// Loaded into a child process before the command line. Simulates a disk that has no room while a certain file
// exists, which the environment names.
const {existsSync} = require('node:fs');
const files = require('node:fs/promises');

const {open} = files;

files.open = async (...args) => {
  const handle = await open(...args);
  const write = handle.write.bind(handle);
  handle.write = async (...rest) => {
    if (!existsSync(process.env.TEST_DISK_FAULT)) return write(...rest);
    throw Object.assign(new Error('ENOSPC: write'), {code: 'ENOSPC', errno: -28});
  };
  return handle;
};

// Loaded into a child process before the command line. Simulates a disk that fails while a certain file
// exists. The environment names the file, which contains the name of the failing call.
const {readFileSync} = require('node:fs');
const files = require('node:fs/promises');

const {open} = files;
const errors = {
  write: {code: 'ENOSPC', errno: -28},
  datasync: {code: 'EIO', errno: -5},
};

function failing() {
  try {
    return readFileSync(process.env.TEST_DISK_FAULT, 'utf8');
  } catch {
    return undefined;
  }
}

files.open = async (...args) => {
  const handle = await open(...args);
  for (const [name, error] of Object.entries(errors)) {
    const call = handle[name].bind(handle);
    handle[name] = async (...rest) => {
      if (failing() !== name) return call(...rest);
      throw Object.assign(new Error(`${error.code}: ${name}`), error);
    };
  }
  return handle;
};

// Loaded into the wrapper before the command line. Kills it as soon as the command has started: before it can
// note the process id, which goes to the file TEST_STARTED instead.
const childProcess = require('node:child_process');
const {writeFileSync} = require('node:fs');
const {syncBuiltinESMExports} = require('node:module');

const {spawn} = childProcess;

childProcess.spawn = (program, ...rest) => {
  const child = spawn(program, ...rest);
  if (program !== '/bin/sh') {
    writeFileSync(process.env.TEST_STARTED, String(child.pid));
    process.kill(process.pid, 'SIGKILL');
  }
  return child;
};
syncBuiltinESMExports();

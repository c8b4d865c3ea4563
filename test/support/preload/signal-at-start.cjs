// Loaded before the command line. Sends a signal as soon as the process handles it, before the command line is loaded.
const {on} = process;

process.on = (name, ...rest) => {
  on.call(process, name, ...rest);
  if (name !== process.env.TEST_SIGNAL) return process;
  if (new Error('late').stack.includes('cli.cjs')) throw new Error('The command line was loaded.');
  process.on = on;
  process.kill(process.pid, name);
  return process;
};

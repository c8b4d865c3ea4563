// Loaded before the command line. Sends a signal as soon as the process handles it, before anything else is loaded.
const {on} = process;

process.on = (name, ...rest) => {
  on.call(process, name, ...rest);
  if (name !== process.env.TEST_SIGNAL) return process;
  process.on = on;
  process.kill(process.pid, name);
  return process;
};

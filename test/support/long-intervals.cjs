// Loaded before the command line: each interval takes an hour, as if everything else happened at once.
const {setInterval} = globalThis;

globalThis.setInterval = (callback, _, ...rest) => setInterval(callback, 3_600_000, ...rest);

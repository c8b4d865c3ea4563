// For debug, which oclif asks for a logger at start. It is loaded only when `DEBUG` asks for it.
const silent = Object.assign(() => {}, {enabled: false});

export default function debug(namespace: string): unknown {
  if (!process.env['DEBUG']) return silent;
  const real: (namespace: string) => unknown = require('debug');
  return real(namespace);
}

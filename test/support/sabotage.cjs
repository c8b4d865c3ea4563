// Loaded into a child process before the command line: a fault that nobody foresaw, for one id.
const {encodeURIComponent: encode} = globalThis;

globalThis.encodeURIComponent = (text) => {
  if (text === 'con_sabotage') throw new TypeError('cannot read properties of a sabotage');
  return encode(text);
};

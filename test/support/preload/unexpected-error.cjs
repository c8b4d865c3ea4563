// Loaded into a child process before the command line. Causes an unexpected error for one id.
const {encodeURIComponent: encode} = globalThis;

globalThis.encodeURIComponent = (text) => {
  if (text === 'con_unexpected')
    throw new TypeError('cannot read properties of an unexpected error');
  return encode(text);
};

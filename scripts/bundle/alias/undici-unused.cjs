// Replaces what undici's client needs for bodies of fetch, and for HTTP/2: this client has neither. HTTP/2 loads
// `node:http2`, which takes longer than the rest of undici.
module.exports = () => {
  throw new Error('Not part of the bundle');
};

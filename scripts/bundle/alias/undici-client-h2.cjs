// Replaces undici's connections over HTTP/2, which the client never allows. They load `node:http2`, which takes
// longer than the rest of undici.
module.exports = () => {
  throw new Error('HTTP/2 is not part of the bundle');
};

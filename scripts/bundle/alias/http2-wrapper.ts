// Replaces http2-wrapper, which got always loads but uses only with `http2: true`. It creates a TLS
// context when it is loaded.
export default {
  auto(): never {
    throw new Error('The bundle speaks HTTP/1.1 only');
  },
};

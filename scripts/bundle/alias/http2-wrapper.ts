// For http2-wrapper, which got loads always and uses only with `http2: true`; it makes a TLS context
// when it is loaded.
export default {
  auto(): never {
    throw new Error('The bundle speaks HTTP/1.1 only');
  },
};

// Replaces the parser of HTTP for processors with SIMD by the one for all: undici falls back to it, so the bundle
// would hold both. Short responses gain nothing by SIMD.
module.exports = require('undici/lib/llhttp/llhttp-wasm.js');

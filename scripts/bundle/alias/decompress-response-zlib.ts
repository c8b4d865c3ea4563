// For `node:zlib` in decompress-response, which looks at start whether this Node knows Zstandard, and
// uses it only for a response that is compressed.
import type zlib from 'node:zlib';

const real = (): typeof zlib & {createZstdDecompress?: () => unknown} => require('node:zlib');

export default {
  createBrotliDecompress: () => real().createBrotliDecompress(),
  createInflateRaw: () => real().createInflateRaw(),
  createUnzip: () => real().createUnzip(),
  createZstdDecompress:
    'zstd' in process.versions ? () => real().createZstdDecompress?.() : undefined,
};

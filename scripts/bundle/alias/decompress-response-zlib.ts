// Replaces `node:zlib` in decompress-response, which checks at start whether Node supports Zstandard but
// needs the module only for a compressed response.
import type zlib from 'node:zlib';

const real = (): typeof zlib & {createZstdDecompress?: () => unknown} => require('node:zlib');

export default {
  createBrotliDecompress: () => real().createBrotliDecompress(),
  createInflateRaw: () => real().createInflateRaw(),
  createUnzip: () => real().createUnzip(),
  createZstdDecompress:
    'zstd' in process.versions ? () => real().createZstdDecompress?.() : undefined,
};

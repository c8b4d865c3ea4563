// Replaces decompress-response in got, which loads `node:zlib` at start. Most responses are not compressed.
import type {IncomingMessage} from 'node:http';

export default function decompressResponse(response: IncomingMessage): unknown {
  if (response.headers['content-encoding'] === undefined) return response;
  return require('decompress-response').default(response);
}

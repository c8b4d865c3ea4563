// Holds idle connections: node --import tsx bench/idle/holder.ts URL COUNT LOCAL-ADDRESS
// Says how many it holds, in one line, once all have a response or are refused; ends with its stdin.
import {connect} from 'node:net';
import pLimit from 'p-limit';

const [url = '', count = '0', localAddress] = process.argv.slice(2);
const {hostname, port} = new URL(url);
let held = 0;

/** Opens a connection, and completes one request on it, so that it counts as idle, not as slow. */
function hold(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({host: hostname, port: Number(port), localAddress});
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('error', () => undefined);
    socket.once('data', () => {
      held += 1;
      resolve();
    });
    socket.once('close', resolve);
  });
}

const limit = pLimit(200);
await Promise.all(Array.from({length: Number(count)}, () => limit(hold)));
console.log(held);
process.stdin.resume().on('end', () => process.exit());

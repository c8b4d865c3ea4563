import {createWriteStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {ServerProcess} from '../servers.js';

/** A connector with the fields of the reference service; one in ten is offline, one in fifty never was online. */
function connectorText(number: number): string {
  const seen = new Date(Date.UTC(2026, 6, 1) + ((number * 7919) % 86_400_000));
  return JSON.stringify({
    id: `con_01ARZ3NDEKTSV4RRF${String(number).padStart(9, '0')}`,
    name: `connector-${String(number).padStart(7, '0')}`,
    organization: 'default',
    status: number % 10 === 3 ? 'offline' : 'online',
    activated_at: '2026-01-01T00:00:00.000Z',
    last_heartbeat_at: number % 50 === 3 ? null : seen.toISOString(),
  });
}

/** Writes a list as the body of a response. Returns its length in bytes. */
export async function writeFleet(file: string, count: number): Promise<number> {
  function* texts() {
    for (let number = 0; number < count; number++) {
      yield (number === 0 ? '[' : ',') + connectorText(number);
    }
    yield ']';
  }
  await pipeline(Readable.from(texts()), createWriteStream(file));
  return (await stat(file)).size;
}

/** A server, in a separate process, that sends a file as the response to every request. */
export async function startListServer(
  file: string,
): Promise<{readonly port: number; readonly stop: () => Promise<void>}> {
  const program = `
    const {createReadStream} = require('node:fs');
    const {createServer} = require('node:http');
    const server = createServer((request, response) => {
      response.writeHead(200, {'content-type': 'application/json'});
      createReadStream(process.argv[1]).pipe(response);
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
    process.on('SIGTERM', () => process.exit(0));
  `;
  const server = await ServerProcess.start(['--eval', program, file]);
  return {port: server.port, stop: () => server.stop()};
}

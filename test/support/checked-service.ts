import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';

/** A service with one connector per status, in a separate process, because its callers may block this one. */
export async function startCheckedService(
  statuses: readonly string[],
): Promise<{readonly url: string; stop(): void}> {
  const connectors = statuses.map((status, index) => ({
    id: `c-${index}`,
    name: `web-${index}`,
    status,
  }));
  const script = `
    const server = require('node:http').createServer((_, response) => {
      response.writeHead(200, {'content-type': 'application/json'});
      response.end(process.argv[1]);
    });
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;
  const child = spawn(process.execPath, ['-e', script, JSON.stringify(connectors)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await once(createInterface({input: child.stdout}), 'line');
  return {url, stop: () => child.kill()};
}

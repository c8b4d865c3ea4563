import type {CallOptions, Client, ConnectorReading} from '../../client/types.js';
import type {StatusLine} from '../terminal/status-line.js';

/** A client with a status line while it waits. @param service name of the service on that line */
export function withProgress(client: Client, line: StatusLine, service: string): Client {
  const waiting = () => `Waiting for ${service} …`;
  const waited = async <T>(call: Promise<T>): Promise<T> => {
    const end = line.begin(waiting);
    try {
      return await call;
    } finally {
      end();
    }
  };
  return {
    createToken: (...call) => waited(client.createToken(...call)),
    activateConnector: (...call) => waited(client.activateConnector(...call)),
    getConnector: (...call) => waited(client.getConnector(...call)),
    sendHeartbeat: (...call) => waited(client.sendHeartbeat(...call)),
    keepAlive: (...call) => client.keepAlive(...call),
    listConnectors: (options) => listWithProgress(client, line, service, options),
  };
}

/** The list, with a status line while it waits for the service, but not while it waits for its consumer. */
async function* listWithProgress(
  client: Client,
  line: StatusLine,
  service: string,
  options?: CallOptions,
): AsyncGenerator<ConnectorReading, void, void> {
  let count = 0;
  let isWaiting = true;
  const end = line.begin(() => {
    const soFar = count === 0 ? '' : `, ${count} connectors so far`;
    return isWaiting ? `Waiting for ${service}${soFar} …` : undefined;
  });
  try {
    for await (const connector of client.listConnectors(options)) {
      count += 1;
      isWaiting = false;
      yield connector;
      isWaiting = true;
    }
  } finally {
    end();
  }
}

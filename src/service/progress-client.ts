import type {Client} from '../client/types.js';
import type {StatusLine} from '../terminal/status-line.js';

/** A client with a status line while it waits. @param service name of the service on that line */
export function withProgress(client: Client, line: StatusLine, service: string): Client {
  const waited = async <T>(call: Promise<T>): Promise<T> => {
    const end = line.begin(() => `Waiting for ${service} …`);
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
    listConnectors: (options) => {
      const list = client.listConnectors(options);
      return {
        [Symbol.asyncIterator]: () => list[Symbol.asyncIterator](),
        toArray: (most) => waited(list.toArray(most)),
      };
    },
  };
}

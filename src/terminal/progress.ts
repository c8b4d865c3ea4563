import type {Client} from '../client/types.js';
import type {Io} from './io.js';

/** The client, which shows that it waits. @param service its name there */
export function withProgress(client: Client, service: string, io: Pick<Io, 'progress'>): Client {
  const waited = <T>(call: Promise<T>): Promise<T> =>
    call.finally(io.progress(() => `Waiting for ${service} …`));
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
        all: (range) => waited(list.all(range)),
      };
    },
  };
}

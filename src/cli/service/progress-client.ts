import type {CallOptions, Client, ConnectorReading} from '../../client/types.js';
import type {StatusLine} from '../terminal/status-line.js';

/** A client whose waits are told on a status line. @param service how the service is named there */
export function withProgress(client: Client, line: StatusLine, service: string): Client {
  const waiting = () => `Waiting for ${service} …`;
  const told = async <T>(call: Promise<T>): Promise<T> => {
    const end = line.begin(waiting);
    try {
      return await call;
    } finally {
      end();
    }
  };
  return {
    createToken: (...call) => told(client.createToken(...call)),
    activateConnector: (...call) => told(client.activateConnector(...call)),
    getConnector: (...call) => told(client.getConnector(...call)),
    sendHeartbeat: (...call) => told(client.sendHeartbeat(...call)),
    listConnectors: (options) => patientList(client, line, service, options),
  };
}

/** The list, told as long as it is the service that is waited for, and not whoever takes the list. */
async function* patientList(
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

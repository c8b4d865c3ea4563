import {Agent} from 'node:http';
import {connect, type Socket} from 'node:net';

/** Sends all requests to one Unix socket, whatever their host; otherwise as the agent of Node.js does. */
export class SocketAgent extends Agent {
  readonly path: string;

  constructor(path: string) {
    super({keepAlive: true, scheduling: 'lifo', timeout: 5000});
    this.path = path;
  }

  override createConnection(): Socket {
    return connect(this.path);
  }
}

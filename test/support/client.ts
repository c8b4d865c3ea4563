import {expect} from 'chai';
import {clientOver} from '../../src/client/create-client.js';
import {Transport} from '../../src/client/http/transport.js';
import {readSettings} from '../../src/client/settings.js';
import type {Client, ClientOptions} from '../../src/client/types.js';
import type {Operation} from '../../src/contract/endpoints.js';
import {AppError} from '../../src/errors.js';
import {type Respond, thirdPartyService} from './third-party.js';
import {skippingClock} from './time/skipping-clock.js';

/** A client like that of `createClient`, but it records its pauses instead of waiting. */
export function clientWithoutDelays(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): {client: Client; pauses: readonly number[]} {
  const {clock, waits} = skippingClock();
  const transport = new Transport(readSettings({baseUrl, ...options}), clock, () => 0);
  return {client: clientOver(transport), pauses: waits};
}

/** A client without delays of a third-party service with one response. */
export async function clientOf(response: Respond): Promise<Client> {
  const {url} = await thirdPartyService(response);
  return clientWithoutDelays(url).client;
}

/** The `AppError` that an action fails with. */
export async function failure(action: () => unknown): Promise<AppError> {
  try {
    await action();
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    return error as AppError;
  }
  throw new Error('it did not fail');
}

/** All values of an async iterable. */
export async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const one of iterable) result.push(one);
  return result;
}

/** A call of each operation. */
export const calls: Readonly<Record<Operation, (client: Client) => Promise<unknown>>> = {
  createToken: (client) => client.createToken(),
  activate: (client) => client.activateConnector({token: 't0ken', name: 'door'}),
  list: (client) => all(client.listConnectors()),
  get: (client) => client.getConnector('con_1'),
  heartbeat: (client) => client.sendHeartbeat('con_1'),
};

export const everyOperation = Object.keys(calls) as readonly Operation[];

import {expect} from 'chai';
import {HttpClient} from '../../src/client/create-client.js';
import {Transport} from '../../src/client/http/transport.js';
import {readSettings} from '../../src/client/settings.js';
import type {Client, ClientOptions} from '../../src/client/types.js';
import {AppError} from '../../src/errors.js';
import {type Respond, thirdPartyService} from './third-party-service.js';

/** A client as `createClient` makes it, but that records its pauses instead of waiting them out. */
export function impatientClient(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): {client: Client; pauses: number[]} {
  const pauses: number[] = [];
  const waiting = {
    wait: async (milliseconds: number) => {
      pauses.push(milliseconds);
    },
    random: () => 0,
  };
  const settings = readSettings({baseUrl, ...options});
  return {client: new HttpClient(new Transport(settings, waiting)), pauses};
}

/** An impatient client of a foreign service that answers everything with `answer`. */
export async function clientOf(response: Respond): Promise<Client> {
  const {url} = await thirdPartyService(response);
  return impatientClient(url).client;
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

/** Everything that an async iterable gives. */
export async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const one of iterable) result.push(one);
  return result;
}

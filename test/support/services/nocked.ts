import {expect} from 'chai';
import nock from 'nock';
import {fillPath, type Operation, routes} from '../../../src/contract/index.js';

// Loading nock patches this process, which must not affect the tests with real servers.
nock.restore();

/** Base URL of the nocked service. */
export const baseUrl = 'https://connectors.test';

/** A request as the service received it. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON; an empty string if there was no body. */
  readonly body: unknown;
}

/** A prepared response. */
interface ReadyResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Base URL of the request. Default: `baseUrl`. */
  readonly at?: string;
}

/** A simulated service: each response serves one request, and every other request fails. */
interface NockedService {
  /** Every request so far. */
  readonly sent: SentRequest[];
  /** Prepares a response for one call of an operation. */
  response(operation: Operation, response: ReadyResponse, id?: string): void;
  /** Prepares a response for one GET of a path. */
  responseAt(path: string, response: ReadyResponse): void;
}

/** Sets up a service for each test of the suite that calls it. */
export function nockedService(): NockedService {
  const sent: SentRequest[] = [];
  before(() => {
    nock.activate();
    nock.disableNetConnect();
  });
  afterEach(function () {
    const unused = nock.pendingMocks();
    sent.length = 0;
    nock.abortPendingRequests();
    nock.cleanAll();
    // With an unused response, a test proves less than its title claims.
    if (this.currentTest?.state === 'passed') expect(unused, 'unused responses').to.deep.equal([]);
  });
  after(() => {
    nock.enableNetConnect();
    nock.restore();
  });
  const ready = (
    method: string,
    path: string,
    {status = 200, body = '', headers = {}, at = baseUrl}: ReadyResponse,
  ) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    nock(at)
      .intercept(path, method)
      .reply(function (asked, requestBody) {
        sent.push({method, path: asked, headers: this.req.headers, body: requestBody});
        return [status, text, {'content-type': 'application/json', ...headers}];
      });
  };
  return {
    sent,
    response(operation, response, id) {
      const {method, path} = routes[operation];
      ready(method, fillPath(path, id === undefined ? {} : {id}), response);
    },
    responseAt: (path, response) => ready('GET', path, response),
  };
}

import {expect} from 'chai';
import nock from 'nock';
import {fillPath, type Operation, routes} from '../../src/contract/index.js';

// Loading nock patches this process; the tests with real servers must not feel it.
nock.restore();

/** Where the nocked service is. */
export const baseUrl = 'https://connectors.test';

/** A request as the service got it. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON; the empty text where nothing was sent. */
  readonly body: unknown;
}

/** A response that is laid ready. */
export interface ReadyResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The base URL that is asked, where it is not `baseUrl`. */
  readonly at?: string;
}

/** A service that is not there: each response serves one request, and no other request gets anywhere. */
export interface NockedService {
  /** Every request so far. */
  readonly sent: SentRequest[];
  /** Lays a response ready for one call of an operation. */
  response(operation: Operation, response: ReadyResponse, id?: string): void;
  /** Lays a response ready for one GET of a path. */
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
    // A response that no request asks for makes a test prove less than it says.
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

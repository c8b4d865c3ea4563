import {join} from 'node:path';
import {expect} from 'chai';
import {type ErrorKind, exitCodes} from '../../src/errors.js';
import {runChild} from '../support/child.js';
import {closedPort} from '../support/ports.js';
import {runCli} from '../support/run-cli.js';
import {activationToken, organizationKey} from '../support/secrets.js';
import {root} from '../support/sources.js';
import {
  closeThirdPartyServices,
  json,
  type Respond,
  thirdPartyService,
} from '../support/third-party-service.js';

const unexpectedError = join(root, 'test/support/unexpected-error.cjs');

const list = ['connector', 'list'];
const get = ['connector', 'get', 'con_7'];
const heartbeat = ['connector', 'heartbeat', 'con_7'];
const activate = ['connector', 'activate', '--name', 'web-1'];

const problem = (status: number, code: string, title: string, headers = {}): Respond =>
  json({type: 'about:blank', status, title, code, request_id: 'req-7'}, status, headers);
const html: Respond = (_, response) => {
  response.writeHead(200, {'content-type': 'text/html'});
  response.end('<!doctype html><title>Welcome</title>');
};

/** The response of a service, and the error that the command reports for it. */
interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  /** Undefined: nothing listens. */
  readonly response?: Respond;
  readonly kind: ErrorKind;
  readonly reason?: string;
  /** `URL` stands for the URL of the service. */
  readonly message: string;
  /** `PORT` stands for the port of the service. */
  readonly hint: string;
  readonly code?: string;
  readonly retryAfter?: number;
}

const cases: readonly Case[] = [
  {
    name: '401',
    argv: list,
    response: problem(401, 'key_unknown', 'The API key is not accepted'),
    kind: 'auth',
    reason: 'api-key-rejected',
    message:
      'Cannot list the connectors: URL returned 401 Unauthorized: The API key is not accepted',
    hint: 'Check the API key, and that it belongs to this service.',
    code: 'key_unknown',
  },
  {
    name: '404 of a connector',
    argv: get,
    response: problem(404, 'connector_unknown', 'No such connector'),
    kind: 'not_found',
    reason: 'connector-unknown',
    message: 'Cannot read connector con_7: URL returned 404 Not Found: No such connector',
    hint: 'See which connectors there are with: connectorctl connector list',
    code: 'connector_unknown',
  },
  {
    name: '409',
    argv: activate,
    response: problem(409, 'token_used', 'The activation token was already used'),
    kind: 'conflict',
    reason: 'activation-token-used',
    message:
      'Cannot activate the connector: URL returned 409 Conflict: The activation token was already used',
    hint: 'Create a new token with: connectorctl token create',
    code: 'token_used',
  },
  {
    name: '400',
    argv: activate,
    response: problem(400, 'request_invalid', 'The name is too long'),
    kind: 'usage',
    reason: 'request-rejected',
    message: 'Cannot activate the connector: URL returned 400 Bad Request: The name is too long',
    hint: 'Correct what the service rejects; --debug shows what was sent.',
    code: 'request_invalid',
  },
  {
    name: '429',
    argv: heartbeat,
    response: problem(429, 'rate_limited', 'Too many', {'retry-after': '3600'}),
    kind: 'unavailable',
    reason: 'service-unavailable',
    message:
      'Cannot send the heartbeat of connector con_7: URL returned 429 Too Many Requests: Too many',
    hint: 'The service asks to try again in 3600 s.',
    code: 'rate_limited',
    retryAfter: 3600,
  },
  {
    name: 'a service that does not listen',
    argv: get,
    kind: 'unavailable',
    reason: 'connection-refused',
    message: 'Cannot read connector con_7: nothing listens at URL (ECONNREFUSED)',
    hint: 'Check that the service runs (connectorctl serve starts the reference service), and the base URL.',
  },
  {
    name: '500',
    argv: heartbeat,
    response: problem(500, 'internal', 'The service failed'),
    kind: 'remote',
    reason: 'service-failed',
    message:
      'Cannot send the heartbeat of connector con_7: URL returned 500 Internal Server Error: The service failed',
    hint: 'Try again later; --debug shows the response of the service.',
    code: 'internal',
  },
  {
    name: 'a response that is not JSON',
    argv: list,
    response: html,
    kind: 'protocol',
    reason: 'response-invalid',
    message:
      'Cannot list the connectors: the response of URL breaks the interface: it is of type text/html and not JSON; it begins: <!doctype html><title>Welcome</title>',
    hint: 'Check that the base URL is that of a connectors service.',
  },
  {
    name: 'an internal error of connectorctl',
    argv: ['connector', 'get', 'con_unexpected'],
    response: json({id: 'con_unexpected'}),
    kind: 'internal',
    message: 'Unexpected error: cannot read properties of an unexpected error',
    hint: 'This is a bug in connectorctl. Please report it with the command line and its output with --debug, which hides secrets.',
  },
];

describe('the exit code of a command is', () => {
  afterEach(closeThirdPartyServices);

  for (const {name, argv, response, kind, reason, message, hint, code, retryAfter} of cases) {
    it(`${exitCodes[kind].code} for ${name}`, async () => {
      const url = response
        ? (await thirdPartyService(response)).url
        : `http://127.0.0.1:${await closedPort()}`;
      const options = {
        env: {
          CONNECTORCTL_BASE_URL: url,
          CONNECTORCTL_RETRIES: '0',
          CONNECTORCTL_API_KEY: organizationKey(),
          CONNECTORCTL_ACTIVATION_TOKEN: activationToken(),
          ...(kind === 'internal' && {NODE_OPTIONS: `--require "${unexpectedError}"`}),
        },
      };
      const run = kind === 'internal' ? runChild : runCli;
      const [human, machine] = await Promise.all([
        run(argv, options),
        run([...argv, '--json'], options),
      ]);
      const expected = {
        message: message.replace('URL', url),
        hint: hint.replace('PORT', new URL(url).port),
      };
      const reference = code === undefined ? '' : `  code ${code}, request id req-7\n`;
      expect(human).to.deep.equal({
        code: exitCodes[kind].code,
        stdout: '',
        stderr: `Error: ${expected.message}\n  ${expected.hint}\n${reference}`,
      });
      expect(machine).to.deep.include({code: exitCodes[kind].code, stderr: ''});
      const {error, ...rest} = JSON.parse(machine.stdout);
      expect(rest).to.deep.equal({});
      const {status: _, ...known} = error;
      expect(known).to.deep.equal({
        kind,
        exit_code: exitCodes[kind].code,
        ...expected,
        ...(reason !== undefined && {reason}),
        ...(code !== undefined && {code, request_id: 'req-7'}),
        ...(retryAfter !== undefined && {retry_after: retryAfter}),
      });
    });
  }
});

import {join} from 'node:path';
import {expect} from 'chai';
import {type ErrorKind, exitCodes} from '../../src/errors.js';
import {runCli} from '../support/command/run-cli.js';
import {closedPort} from '../support/network/ports.js';
import {runChild} from '../support/process/child.js';
import {root} from '../support/sources.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {activationToken, organizationKey} from '../support/values/secrets.js';

const unexpectedError = join(root, 'test/support/preload/unexpected-error.cjs');

const list = ['connector', 'list'];
const get = ['connector', 'get', 'con_7'];
const heartbeat = ['connector', 'heartbeat', 'con_7'];
const activate = ['connector', 'activate', '--name', 'web-1'];

const unexpected = ['connector', 'get', 'con_unexpected'];

const problem = (status: number, code: string): Respond =>
  json({type: 'about:blank', status, title: 'No', code, request_id: 'req-7'}, status);
const html: Respond = (_, response) => {
  response.writeHead(200, {'content-type': 'text/html'});
  response.end('<!doctype html><title>Welcome</title>');
};

/** The response of a service, and the error that the command reports for it: undefined where nothing listens. */
type Case = readonly [
  name: string,
  argv: readonly string[],
  response: Respond | undefined,
  kind: ErrorKind,
  reason: string | undefined,
];

const cases: readonly Case[] = [
  ['401', list, problem(401, 'key_unknown'), 'auth', 'api-key-rejected'],
  ['404', get, problem(404, 'connector_unknown'), 'not_found', 'connector-unknown'],
  ['409', activate, problem(409, 'token_used'), 'conflict', 'activation-token-used'],
  ['400', activate, problem(400, 'request_invalid'), 'usage', 'request-rejected'],
  ['429', heartbeat, problem(429, 'rate_limited'), 'unavailable', 'service-unavailable'],
  ['a service that does not listen', get, undefined, 'unavailable', 'connection-refused'],
  ['500', heartbeat, problem(500, 'internal'), 'remote', 'service-failed'],
  ['a response that is not JSON', list, html, 'protocol', 'response-invalid'],
  ['an internal error', unexpected, json({id: 'con_unexpected'}), 'internal', undefined],
];

describe('the exit code of a command is', () => {
  for (const [name, argv, response, kind, reason] of cases) {
    it(`${exitCodes[kind].code} for ${name}, with the same error on stderr and in JSON`, async () => {
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
      const human = await run(argv, options);
      const machine = await run([...argv, '--json'], options);
      const {code} = exitCodes[kind];
      expect(machine).to.deep.include({code, stderr: ''});
      const {error, ...rest} = JSON.parse(machine.stdout);
      expect(rest).to.deep.equal({});
      expect(error).to.deep.include({kind, exit_code: code, ...(reason && {reason})});
      expect(human).to.deep.include({code, stdout: ''});
      expect(human.stderr)
        .to.match(/^Error: /)
        .and.include(`Error: ${error.message}\n  ${error.hint}\n`);
      if (kind === 'internal')
        expect(`${error.message}. ${error.hint}`).to.match(
          /^Unexpected error: cannot .* error\. This is a bug in .*, which hides secrets\.$/,
        );
      if (error.code) expect(human.stderr).to.include(`  code ${error.code}, request id req-7\n`);
    });
  }
});

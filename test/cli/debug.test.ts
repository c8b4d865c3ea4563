import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {json, thirdPartyService} from '../support/third-party.js';

describe('--debug', () => {
  it('shows the response of a service with its control characters escaped', async () => {
    // C1 controls, which JSON does not escape, and a character that changes the text direction.
    const {url} = await thirdPartyService(
      json({id: 'con_1', name: '\x9b2Jred\u202e'}, 200, {'x-note': '\x9b31m'}),
    );
    const argv = ['connector', 'get', 'con_1', '--base-url', url, '--debug'];
    const {code, stdout, stderr} = await runCommand(argv);
    expect(code).to.equal(0);
    expect(stderr).to.include('< x-note: \\x9b31m\n');
    expect(stderr).to.include('< {"id":"con_1","name":"\\x9b2Jred\\u202e"}\n');
    expect(stdout + stderr).to.match(/^[\n\x20-\x7e]*$/);
  });

  it('shows a response that is not JSON line by line, with control characters escaped', async () => {
    const {url} = await thirdPartyService((_, response) => {
      response.writeHead(404, {'content-type': 'text/plain'});
      response.end('not \x1b\x07 here\r\nat all');
    });
    const {stderr} = await runCommand(['connector', 'get', 'x', '--base-url', url, '--debug']);
    expect(stderr).to.include('< not \\x1b\\x07 here\\x0d\n< at all\n');
  });
});

describe('the quotes of an environment file', () => {
  it('are no part of any variable, whose value an error shows without them', async () => {
    const {url, seen} = await thirdPartyService(json([]));
    const env = {
      CONNECTORCTL_BASE_URL: `"${url}"`,
      CONNECTORCTL_API_KEY: "'key-0123456789'",
      CONNECTORCTL_OUTPUT: '"id"',
    };
    const {code, stderr} = await runCommand(['connector', 'list'], env);
    expect(code, stderr).to.equal(0);
    expect(seen[0]?.headers.authorization).to.equal('Bearer key-0123456789');
    const shown = await runCommand(['doctor'], {...env, CONNECTORCTL_BASE_URL: "'example'"});
    expect(shown).to.include({code: 2});
    expect(shown.stderr).not.to.include("'example'");
  });

  it('do not keep CONNECTORCTL_DEBUG from its effect', async () => {
    const argv = ['connector', 'list', '--base-url', 'http://127.0.0.1:1', '--retries', '0'];
    const quoted = await runCommand(argv, {CONNECTORCTL_DEBUG: '"1"'});
    const plain = await runCommand(argv, {CONNECTORCTL_DEBUG: '1'});
    const without = await runCommand(argv);
    expect(plain.stderr.length).to.be.above(without.stderr.length);
    const withoutTimes = (text: string) => text.replace(/\d+/g, '0');
    expect(withoutTimes(quoted.stderr)).to.equal(withoutTimes(plain.stderr));
  });
});

import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party.js';

describe('--debug', () => {
  afterEach(closeThirdPartyServices);

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

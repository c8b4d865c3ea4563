import {existsSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {savedCredentials} from '../../support/command/credentials.js';
import {runCommand} from '../../support/command/run-command.js';
import {runUntil} from '../../support/process/live-child.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';
import {connectorKey, organizationKey} from '../../support/values/secrets.js';

const env = {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1', CONNECTORCTL_API_KEY: 'k1'};
const run = (...words: readonly string[]) => runCommand(['connector', 'run', ...words], env);

describe('connector run', () => {
  const at = temporaryDirectory();

  it('uses the connector, service and key of its file; an id beside it must be the same', async () => {
    const {url, seen} = await thirdPartyService(json({}, 401));
    const credentials = savedCredentials({base_url: url});
    writeFileSync(at('web-1.json'), JSON.stringify(credentials));
    const file = ['--credentials-file', at('web-1.json')];
    await runUntil(/refused/, ['connector', 'run', 'con_1', ...file], {env});
    const [request] = seen;
    expect(request?.path).to.equal('/api/connectors/con_1/heartbeat');
    expect(request?.headers['authorization']).to.equal(`Bearer ${connectorKey()}`);
    const {code, stderr} = await run('con_2', ...file);
    expect(code).to.equal(2);
    expect(stderr).to.include('holds the credential of con_1, not of con_2');
  });

  const tokenInto = '--token-file t --credentials-file FILE';
  const words: readonly (readonly [what: string, line: string, message: string])[] = [
    ['no connector', '', 'Missing connector id.'],
    ['a secret as the id', organizationKey(), 'That is an API key'],
    ['an interval shorter than 1 s', 'con_1 --every 10ms', 'Write 1s or more.'],
    ['a token beside an id', `con_1 ${tokenInto}`, 'which creates the connector.'],
    ['a token without a file', '--token-file t', 'when using --token-file: --credentials-file'],
    [
      'no token at the first start',
      '--credentials-file /none',
      '--token-file PATH or CONNECTORCTL_',
    ],
    ['another service', '--credentials-file FILE --base-url http://b.invalid', 'belongs to the'],
    ['a base URL that is none', '--credentials-file INVALID', 'The base URL of the service must'],
  ];
  for (const [what, line, message] of words) {
    it(`exits with 2 for ${what}`, async () => {
      writeFileSync(at('complete'), JSON.stringify(savedCredentials()));
      writeFileSync(at('invalid'), JSON.stringify(savedCredentials({base_url: 'ftp://x'})));
      const paths: Record<string, string> = {
        FILE: at('complete'),
        INVALID: at('invalid'),
      };
      const argv = line.split(' ').filter((word) => word !== '');
      const {code, stdout, stderr} = await run(...argv.map((word) => paths[word] ?? word));
      expect({code, stdout}).to.deep.equal({code: 2, stdout: ''});
      expect(stderr).to.include(message).and.not.include(organizationKey());
    });
  }

  it('leaves stdin to its command, also where --api-key-file names it', async () => {
    const {code, stderr} = await run('con_1', '--api-key-file', '-', '--', 'true');
    expect(code).to.equal(125);
    expect(stderr).to.equal(
      'Error: The API key cannot come from stdin, which belongs to the command.\n' +
        '  Pass a file with --api-key-file PATH, or use --credentials-file.\n',
    );
  });

  const flags: readonly (readonly [what: string, argv: readonly string[]])[] = [
    ['an unknown flag', ['--bogus']],
    ['--json', ['--json']],
    ['a credentials file that does not exist', ['--credentials-file', '/nonexistent/web.json']],
    ['a token beside an id', ['--token-file', '-']],
  ];
  for (const [what, argv] of flags) {
    it(`exits with 125 before its command starts for ${what}`, async () => {
      const {code, stdout, stderr} = await run('con_1', ...argv, '--', 'touch', at('started'));
      expect({code, stdout}).to.deep.equal({code: 125, stdout: ''});
      expect(stderr).to.match(/^Error: .+\n {2}\S/);
      expect(existsSync(at('started'))).to.equal(false);
    });
  }

  it('exits with 125 when nothing follows --', async () => {
    expect(await run('con_1', '--')).to.deep.equal({
      code: 125,
      stdout: '',
      stderr:
        'Error: There is no command after --.\n' +
        '  Write the command after the flags: -- COMMAND [ARG]...\n',
    });
  });
});

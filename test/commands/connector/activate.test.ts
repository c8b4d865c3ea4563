import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {hashSecret} from '../../../src/domain/secret.js';
import {runCommand} from '../../support/command/run-command.js';
import {baseUrl, nockedService} from '../../support/services/nocked.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {activationToken, connectorKey, organizationKey} from '../../support/values/secrets.js';

const token = activationToken();
const key = connectorKey();
const env = {CONNECTORCTL_BASE_URL: baseUrl, CONNECTORCTL_ACTIVATION_TOKEN: token};
const connector = {id: 'con_1', name: 'web-1', status: 'never', last_heartbeat_at: null};
const success = {status: 201, body: {...connector, api_key: key}};
const web1 = ['connector', 'activate', '--name', 'web-1'];

describe('connector activate', () => {
  const service = nockedService();
  const at = temporaryDirectory();

  const bodies = () => service.sent.map(({body}) => body);

  it('shows the connector and its credential', async () => {
    service.response('activate', success);
    expect(await runCommand(web1, env)).to.deep.equal({
      code: 0,
      stdout: [
        'ID:              con_1',
        'Name:            web-1',
        'Status:          never',
        'Last heartbeat:  never',
        `api_key:         ${key}`,
        '',
      ].join('\n'),
      stderr: [
        'Save the api_key in a file that only you can read: it is not shown again.',
        `Next: connectorctl connector run con_1 --base-url ${baseUrl} --api-key-file FILE`,
        '',
      ].join('\n'),
    });
  });

  describe('when something answers with an empty 200', () => {
    const blank = {headers: {'content-type': 'text/plain', server: 'Caddy'}};
    const says = 'Caddy answered 200 with an empty response';

    it('says on stderr what has answered, and where to look', async () => {
      service.response('activate', blank);
      const {code, stderr} = await runCommand(web1, env);
      expect(code).to.equal(0);
      expect(stderr).to.include(`Warning: ${says}`).and.to.include('Check the base URL');
    });

    it('completes and replaces no credentials file, and finishes it with the next run', async () => {
      const words = [...web1, '--credentials-file', at('web-1.json')];
      service.response('activate', blank);
      const {code, stderr} = await runCommand(words, env);
      expect(code).to.equal(8);
      expect(stderr).to.include(says).and.to.include('run the same command again');
      expect(readdirSync(at('.'))).to.deep.equal(['web-1.json.pending']);
      service.response('activate', success);
      expect((await runCommand(words, env)).code).to.equal(0);
      const complete = readFileSync(at('web-1.json'), 'utf8');
      service.response('activate', blank);
      const other = {...env, CONNECTORCTL_ACTIVATION_TOKEN: activationToken(2)};
      expect((await runCommand([...words, '--force'], other)).code).to.equal(8);
      expect(readFileSync(at('web-1.json'), 'utf8')).to.equal(complete);
    });
  });

  it('writes the whole response with --json, and nothing to stderr', async () => {
    const body = {...success.body, organization: {id: 7}, extra: [1]};
    service.response('activate', {status: 200, body});
    const {code, stdout, stderr} = await runCommand([...web1, '--json'], env);
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    expect(JSON.parse(stdout)).to.deep.equal(body);
  });

  it('confirms the activation when the response has no body', async () => {
    service.response('activate', {status: 204});
    expect(await runCommand(web1, env)).to.deep.equal({
      code: 0,
      stdout: '',
      stderr: 'Activated web-1. The service returned no details.\n',
    });
    service.response('activate', {status: 204});
    expect(await runCommand([...web1, '--json'], env)).to.deep.equal({
      code: 0,
      stdout: '{}\n',
      stderr: '',
    });
  });

  it('shows the id of the Location of a response that names no connector, and saves it', async () => {
    const headers = {location: '/api/connectors/con_7', 'content-type': 'text/html'};
    for (const [body, rest] of [
      ['', ''],
      ['Created', 'Created\n'],
      ['{"message":"created"}', 'message: created\n'],
    ] as const) {
      const file = at(`web-${body.length}.json`);
      service.response('activate', {status: 201, headers, body});
      const {code, stdout} = await runCommand(web1, env);
      expect({code, stdout: stdout.replace(/ +/g, ' ')}).to.deep.equal({
        code: 0,
        stdout: `ID: con_7\n${rest}`,
      });
      service.response('activate', {status: 201, headers, body});
      const saved = await runCommand([...web1, '--credentials-file', file], env);
      expect(saved).to.deep.include({code: 0, stdout: 'ID:  con_7\n'});
      expect(JSON.parse(readFileSync(file, 'utf8')).connector_id).to.equal('con_7');
    }
  });

  /** Field names and structures in which services return a credential. */
  const shapes: readonly unknown[] = [
    {connector_id: 'u-1', key_id: 'live_1', key_secret: 's3cret'},
    {id: 'c', certificate: '-----BEGIN CERTIFICATE-----', private_key: 's3cret'},
    {id: 'c', credentials: [{type: 'bearer', value: 's3cret'}]},
    {data: {type: 'connectors', id: 'c', attributes: {name: 'web-1', api_key: 's3cret'}}},
    {connector: {id: 'c'}, bootstrap: 's3cret'},
    [{id: 'c', api_key: 's3cret'}],
    's3cret',
  ];
  for (const body of shapes) {
    it(`loses no credential of the response ${JSON.stringify(body)}`, async () => {
      const response = {body: JSON.stringify(body)};
      for (const mode of [[], ['--json']]) {
        service.response('activate', response);
        const run = await runCommand([...web1, ...mode], env);
        expect(run).to.deep.include({code: 0});
        expect(run.stdout).to.include('s3cret');
      }
      const file = at('web-1.json');
      service.response('activate', response);
      const run = await runCommand([...web1, '--credentials-file', file], env);
      expect(run).to.deep.include({code: 0});
      expect(run.stdout + run.stderr).not.to.include('s3cret');
      expect(JSON.parse(readFileSync(file, 'utf8')).response).to.deep.equal(body);
    });
  }

  it('shows a response that is not JSON unchanged', async () => {
    const headers = {'content-type': 'text/plain'};
    service.response('activate', {body: 's3cret', headers});
    expect(await runCommand(web1, env)).to.deep.equal({
      code: 0,
      stdout: 's3cret\n',
      stderr: 'Activated. Save this response: if it holds a credential, that is not shown again.\n',
    });
    service.response('activate', {body: 's3cret', headers});
    const {stdout} = await runCommand([...web1, '--json'], env);
    expect(JSON.parse(stdout)).to.equal('s3cret');
  });

  describe('when it reads the token', () => {
    const other = activationToken(2);
    const third = activationToken(3);
    const sources: readonly (readonly [string, (file: string) => string[], string])[] = [
      ['--token-file rather than the environment', (file) => ['--token-file', file], third],
      ['CONNECTORCTL_ACTIVATION_TOKEN', () => [], token],
    ];
    for (const [name, flags, expected] of sources) {
      it(`uses ${name}, without the white space around it`, async () => {
        writeFileSync(at('token'), `\r\n  ${third}\t\n\n`);
        service.response('activate', success);
        const padded = {...env, CONNECTORCTL_ACTIVATION_TOKEN: `\t${token} \r\n`};
        const {code} = await runCommand([...web1, ...flags(at('token'))], padded);
        expect(code).to.equal(0);
        expect(bodies()).to.deep.equal([{token: expected, name: 'web-1'}]);
      });
    }

    const wrong: readonly (readonly [string, string, string])[] = [
      ['mistyped in one letter', token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), 'mist'],
      ['an API key', organizationKey(), 'That is an API key, not an activation token.'],
      ['two lines', `${token}\n${other}`, 'line breaks'],
    ];
    for (const [name, text, said] of wrong) {
      it(`rejects a token before sending a request when the token is ${name}`, async () => {
        for (const mode of [[], ['--json']]) {
          const run = await runCommand([...web1, ...mode], {
            ...env,
            CONNECTORCTL_ACTIVATION_TOKEN: text,
          });
          expect(run.code).to.equal(2);
          expect(run.stdout + run.stderr)
            .to.include(said)
            .and.not.include(text);
        }
        expect(service.sent).to.deep.equal([]);
      });
    }

    it('sends a token of another service that begins with act_ too', async () => {
      const foreign = ['act_7f3a', `act_${'5e'.repeat(24)}`, `act_${'9'.repeat(48)}.`];
      for (const text of foreign) {
        service.response('activate', success);
        const run = await runCommand(web1, {...env, CONNECTORCTL_ACTIVATION_TOKEN: text});
        expect(run.code, run.stderr).to.equal(0);
      }
      expect(bodies()).to.deep.equal(foreign.map((text) => ({token: text, name: 'web-1'})));
    });

    const missing = [
      ['no flag or variable', {}, []],
      ['an empty variable', {CONNECTORCTL_ACTIVATION_TOKEN: ' '}, []],
      ['--no-input', {}, ['--no-input']],
    ] as const;
    for (const [name, variables, flags] of missing) {
      it(`names the flag instead of prompting, given ${name}`, async () => {
        expect(await runCommand([...web1, ...flags], variables)).to.deep.equal({
          code: 2,
          stdout: '',
          stderr:
            'Error: Missing activation token (no prompt without a terminal, in CI or with --no-input).\n' +
            '  Use --token-file PATH (- is stdin) or set CONNECTORCTL_ACTIVATION_TOKEN.\n',
        });
      });
    }

    it('leads from an empty credential of systemd to the file that the operator writes', async () => {
      writeFileSync(at('token'), '\n');
      const unit = {...env, CREDENTIALS_DIRECTORY: at()};
      const run = await runCommand([...web1, '--token-file', at('token')], unit);
      expect(run).to.deep.include({code: 2, stdout: ''});
      expect(run.stderr).to.include(
        'Put only the activation token into the file that LoadCredential= of the unit names, on one line',
      );
    });

    it('rejects a --token-file that is missing, empty, or has several lines', async () => {
      writeFileSync(at('empty'), ' \n');
      writeFileSync(at('long'), `${token}\n${other}\n`);
      for (const [file, said] of [
        ['none', `Cannot read the activation token from ${at('none')}: no such file or directory`],
        ['empty', `No activation token in ${at('empty')}: it is empty.`],
        ['long', `No activation token in ${at('long')}: it has several lines.`],
        ['.', 'illegal operation on a directory (EISDIR)'],
      ] as const) {
        const run = await runCommand([...web1, '--token-file', at(file)], env);
        expect(run).to.deep.include({code: 2, stdout: ''});
        expect(run.stderr).to.include(said).and.include('--token-file').and.not.include(token);
      }
      expect(service.sent).to.deep.equal([]);
    });
  });

  describe('when it reads the name', () => {
    it('prefers --name to the environment, and trims white space', async () => {
      const named = {...env, CONNECTORCTL_CONNECTOR_NAME: 'from env'};
      service.response('activate', success);
      service.response('activate', success);
      await runCommand(['connector', 'activate'], named);
      await runCommand(['connector', 'activate', '--name', '  Büro 7 \t'], named);
      expect(bodies()).to.deep.equal([
        {token, name: 'from env'},
        {token, name: 'Büro 7'},
      ]);
    });
  });

  describe('with a credentials file', () => {
    const file = () => at('web-1.json');
    const into = () => [...web1, '--credentials-file', file()];
    const kept = () => JSON.parse(readFileSync(file(), 'utf8'));
    const shown =
      'ID:              con_1\nName:            web-1\nStatus:          never\nLast heartbeat:  never\n';

    it('writes the credential to the file and does not show it', async () => {
      service.response('activate', success);
      expect(await runCommand(into(), env)).to.deep.equal({
        code: 0,
        stdout: shown,
        stderr: `The credential is in ${file()}.\nNext: connectorctl connector run --credentials-file ${file()}\n`,
      });
      const {activated_at: at, ...rest} = kept();
      expect(rest).to.deep.equal({
        base_url: baseUrl,
        connector_id: 'con_1',
        name: 'web-1',
        api_key: key,
        response: success.body,
        token_hash: hashSecret(token),
      });
      expect(new Date(at).toISOString()).to.equal(at);
    });

    it('removes the credential from the --json output, even if the response repeats it', async () => {
      const body = {data: {...connector, auth: {apiKey: key, scopes: ['a', key]}}, secret: key};
      service.response('activate', {body});
      const {code, stdout, stderr} = await runCommand([...into(), '--json'], env);
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
      expect(JSON.parse(stdout)).to.deep.equal({data: connector});
      expect(kept()).to.deep.include({api_key: key, connector_id: 'con_1', response: body});
    });

    it('saves the whole response if no field is known to hold a credential', async () => {
      const body = {connector_id: 'u-1', key_id: 'live_1', key_secret: 'live_SECRET'};
      service.response('activate', {body});
      expect(await runCommand(into(), env)).to.deep.equal({
        code: 0,
        stdout: 'ID:            u-1\nconnector_id:  u-1\n',
        stderr: `The whole response is in ${file()}. None of its fields is known to hold the API key, so heartbeats with this file send no key.\n`,
      });
      expect(kept()).to.deep.include({api_key: null, response: body});
    });

    /** The response without what it says of the moment. */
    const {status: _, last_heartbeat_at: __, ...lasting} = connector as Record<string, unknown>;

    it('sends no request when the same command runs again, and does not call the status of that day the one of today', async () => {
      service.response('activate', success);
      await runCommand(into(), env);
      const before = readFileSync(file());
      for (const more of [[], ['--force']]) {
        expect(await runCommand([...into(), ...more], env)).to.deep.equal({
          code: 0,
          stdout: 'ID:    con_1\nName:  web-1\n',
          stderr: `Already activated as con_1; the credential is in ${file()}. Nothing was sent. To replace it with a new token, add --force.\n`,
        });
      }
      const again = await runCommand([...into(), '--json'], env);
      expect(JSON.parse(again.stdout)).to.deep.equal({...lasting, already_activated: true});
      expect(service.sent).to.have.length(1);
      expect(readFileSync(file())).to.deep.equal(before);
    });

    it('does not read the token when the file is complete, and activates anew with --force', async () => {
      service.response('activate', success);
      await runCommand(into(), env);
      writeFileSync(at('empty'), '');
      const again = ['connector', 'activate', '--no-input', '--credentials-file', file()];
      const service1 = {CONNECTORCTL_BASE_URL: baseUrl};
      const other = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken(2)};
      for (const [words, extra] of [
        [['--token-file', at('gone')], {}],
        [['--token-file', at('empty')], {}],
        [[], {CONNECTORCTL_ACTIVATION_TOKEN: 'act_mistyped'}],
        [[], other],
      ] as const) {
        const run = await runCommand([...again, ...words, '--json'], {...service1, ...extra});
        expect(run.code, run.stderr).to.equal(0);
        expect(JSON.parse(run.stdout)).to.include({id: 'con_1', already_activated: true});
      }
      expect(service.sent).to.have.length(1);
      const gone = await runCommand([...again, '--force', '--token-file', at('gone')], service1);
      expect(gone.code).to.equal(2);
      service.response('activate', {status: 201, body: {...connector, id: 'con_2', api_key: key}});
      const forced = await runCommand([...into(), '--force'], {...env, ...other});
      expect(forced.code, forced.stderr).to.equal(0);
      expect(kept()).to.include({connector_id: 'con_2'});
    });

    it('keeps the name and the service of the file that --force replaces, unless others are given', async () => {
      service.response('activate', success);
      await runCommand(into(), env);
      const again = ['connector', 'activate', '--force', '--credentials-file', file()];
      for (const [seed, words, name] of [
        [2, [], 'web-1'],
        [3, ['--name', 'web-2'], 'web-2'],
      ] as const) {
        service.response('activate', success);
        const extra = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken(seed)};
        const run = await runCommand([...again, ...words], extra);
        expect(run.code, run.stderr).to.equal(0);
        expect(bodies().at(-1)).to.deep.equal({token: activationToken(seed), name});
      }
    });

    it('refuses a complete file of another service than --base-url, but not than the environment', async () => {
      service.response('activate', success);
      await runCommand(into(), env);
      const elsewhere = 'http://elsewhere.invalid';
      const {code, stderr} = await runCommand([...into(), '--base-url', elsewhere], env);
      expect(code).to.equal(2);
      expect(stderr).to.include(`${file()} belongs to the service ${baseUrl}, not to ${elsewhere}`);
      const same = [...into(), '--base-url', `${baseUrl.toUpperCase().replace('HTTPS', 'https')}/`];
      expect((await runCommand(same, env)).code).to.equal(0);
      expect((await runCommand(into(), {CONNECTORCTL_BASE_URL: elsewhere})).code).to.equal(0);
    });

    const unusable: readonly (readonly [what: string, path: () => string, said: string])[] = [
      [
        'in no directory',
        () => at('none', 'w.json'),
        'no such file or directory (ENOENT). Nothing',
      ],
      ['a directory', () => at(), 'illegal operation on a directory (EISDIR)'],
      ['a device', () => '/dev/null', 'is not a regular file'],
      ['the name -', () => '-', 'To print the credential on stdout'],
      ['empty', () => '', '--credentials-file is empty'],
    ];
    for (const [what, pathOf, said] of unusable) {
      it(`is refused before the token is sent when the path is ${what}`, async () => {
        const path = pathOf();
        for (const more of [[], ['--force']]) {
          const run = await runCommand([...web1, ...more, '--credentials-file', path], env);
          expect(run).to.deep.include({code: 2, stdout: ''});
          expect(run.stderr).to.include(said).and.not.include('Free some space');
        }
        expect(service.sent).to.deep.equal([]);
      });
    }

    describe('after an unfinished activation', () => {
      const pending = () => `${file()}.pending`;
      const once = [...web1, '--retries', '0'];
      const intoOnce = () => [...once, '--credentials-file', file()];

      /** Runs the command with a 502 response, which leaves the outcome unknown. */
      const lose = async () => {
        service.response('activate', {status: 502});
        const {code} = await runCommand(intoOnce(), env);
        expect(code).to.equal(7);
        expect(readdirSync(at())).to.deep.equal(['web-1.json.pending']);
        expect(statSync(pending()).mode & 0o777).to.equal(0o600);
        expect(JSON.parse(readFileSync(pending(), 'utf8'))).to.include({token, name: 'web-1'});
      };

      it('finishes the one of the pending file, also when another token is given', async () => {
        await lose();
        service.response('activate', success);
        const given = {...env, CONNECTORCTL_ACTIVATION_TOKEN: activationToken(2)};
        expect(await runCommand(intoOnce(), given)).to.include({code: 0});
        expect(bodies().at(-1)).to.deep.equal({token, name: 'web-1'});
      });

      it('sends the token of a pending file only to the service that it is for', async () => {
        await lose();
        const words = ['connector', 'activate', '--credentials-file', file()];
        const elsewhere = {CONNECTORCTL_BASE_URL: 'http://elsewhere.invalid'};
        const {code, stderr} = await runCommand(words, elsewhere);
        expect(code).to.equal(2);
        expect(stderr).to.include(`belongs to the service ${baseUrl}`).and.not.include(token);
        expect(service.sent).to.have.length(1);
      });
    });
  });
});

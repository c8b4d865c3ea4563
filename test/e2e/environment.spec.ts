import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {installNode} from '../../scripts/build/nodes.js';
import {runChild, spawnChild} from '../support/process/child.js';
import {noHome} from '../support/process/environment.js';
import {openTerminal} from '../support/process/terminal.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, type Respond, thirdPartyService} from '../support/third-party.js';
import {activationToken, connectorKey, organizationKey} from '../support/values/secrets.js';

const get = ['connector', 'get', 'con_1'];
const list = ['connector', 'list'];

/** A shell that starts the command with redirected streams. */
const shell = (redirection: string) => ['sh', '-c', `exec "$@" ${redirection}`, 'sh'];

describe('the command line', () => {
  const at = temporaryDirectory();
  let env: Record<string, string>;

  const serve = async (body: unknown, status?: number) => {
    const {url} = await thirdPartyService(json(body, status));
    env = {CONNECTORCTL_BASE_URL: url};
  };

  /** Runs a command whose reader of stdout leaves before the service responds. */
  const withLeavingReader = async (argv: readonly string[], respond: Respond, more = {}) => {
    let leave = async () => {};
    const {url, seen} = await thirdPartyService(async (...exchange) => {
      await leave();
      respond(...exchange);
    });
    const child = spawnChild(argv, {env: {CONNECTORCTL_BASE_URL: url, ...more}});
    leave = async () => {
      await once(child.stdout!.destroy(), 'close');
    };
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
    return {code, stderr, seen};
  };

  describe('in an unusual environment', () => {
    const works = {code: 0, stdout: 'ID:  con_1\n', stderr: ''};

    beforeEach(() => serve({id: 'con_1'}));

    it('works with a home that is missing, a file, or read-only', async () => {
      mkdirSync(at('read-only'));
      chmodSync(at('read-only'), 0o500);
      const homes = [at('none'), '/dev/null', at('read-only'), ''];
      const runs = await Promise.all(homes.map((home) => runChild(get, {env, home})));
      expect(runs).to.deep.equal(homes.map(() => works));
    });

    it('works for a user id that the system does not know, with and without HOME', async () => {
      const NODE_OPTIONS = `--require "${join(root, 'test/support/preload/unknown-user.cjs')}"`;
      for (const under of [[], ['env', '-u', 'HOME']]) {
        expect(await runChild(get, {env: {...env, NODE_OPTIONS}, under})).to.deep.equal(works);
      }
    });

    it('never hangs with a home in which no directory can be made, such as /proc', async () => {
      const limited = {home: '/proc', under: ['timeout', '--signal=KILL', '120']};
      expect(await runChild(get, {env, ...limited})).to.deep.equal(works);
      const set = await runChild(
        ['profile', 'set', 'x', '--base-url', 'http://127.0.0.1:9'],
        limited,
      );
      expect(set.code).to.equal(2);
      expect(set.stderr).to.include('Cannot write /proc/.config/connectorctl/settings.json');
      const serve = await runChild(['serve', '--port', '0'], limited);
      expect(serve.code).to.equal(6);
      expect(serve.stderr).to.include("mkdir '/proc/.local'");
    });

    it('sends no request to this machine through a proxy of Node.js 24 with NODE_USE_ENV_PROXY', async () => {
      const proxy = await thirdPartyService(json({id: 'con_2'}));
      const {path} = installNode(24);
      const own = {...env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url};
      const options = {env: {PATH: process.env['PATH'], HOME: noHome, ...own}};
      const run = promisify(execFile);
      const words = [join(root, 'bin', 'run.js'), ...get];
      expect(await run(path, words, options)).to.include({stdout: works.stdout});
      expect(proxy.seen).to.deep.equal([]);
      // The variable works: an agent of Node.js itself asks the proxy.
      await run(path, ['-e', `require('http').get('${env['CONNECTORCTL_BASE_URL']}')`], options);
      expect(proxy.seen).to.have.length(1);
    });

    it('treats empty variables as unset', async () => {
      const all = 'API_KEY API_KEY_FILE AUTH_HEADER DEBUG OUTPUT PROFILE RETRIES TIMEOUT';
      const names = all.split(' ');
      const empty = Object.fromEntries(names.map((name) => [`CONNECTORCTL_${name}`, '']));
      const more = {NO_COLOR: '', FORCE_COLOR: '', TERM: '', CI: '', LANG: ''};
      expect(await runChild(get, {env: {...env, ...empty, ...more}})).to.deep.equal(works);
    });
  });

  describe('with unusual streams', () => {
    it('exits 0 without an error when the reader of a list disconnects', async () => {
      await serve(Array.from({length: 50_000}, (_, index) => ({id: `con_${index}`, name: 'n'})));
      const formats = ['table', 'json', 'yaml', 'csv', 'id'];
      const runs = await Promise.all(
        formats.map(async (format) => {
          const child = spawnChild([...list, '-o', format], {env});
          const stderr = text(child.stderr!);
          await once(child.stdout!, 'data');
          child.stdout!.destroy();
          const [code] = await once(child, 'close');
          return {code, stderr: await stderr};
        }),
      );
      expect(runs).to.deep.equal(formats.map(() => ({code: 0, stderr: ''})));
    });

    it('finishes its work, with its own code, when the reader of stdout leaves', async () => {
      const heartbeat = ['connector', 'heartbeat', 'con_1'];
      const {code, stderr, seen} = await withLeavingReader(heartbeat, json({}, 404));
      expect(code, stderr).to.equal(4);
      expect(seen).to.have.length(1);
    });

    it('sends every heartbeat on a full disk, which is an error', async () => {
      const {url, seen} = await thirdPartyService(json({id: 'con_1'}));
      for (const mode of [[], ['--json']]) {
        const run = await runChild(['connector', 'heartbeat', 'con_1', ...mode], {
          env: {CONNECTORCTL_BASE_URL: url},
          under: shell('>/dev/full'),
        });
        expect(run.code, run.stderr).to.equal(2);
        expect(run.stderr.match(/ENOSPC/g)).to.have.length(1);
      }
      expect(seen).to.have.length(2);
    });

    it('exits 2 when the reader leaves before token create writes its token', async () => {
      const created = json({token: 't0ken', expires_at: '2999-01-01T00:00:00Z'});
      for (const mode of [[], ['--json']]) {
        const {code, stderr} = await withLeavingReader(['token', 'create', ...mode], created);
        expect(code, stderr).to.equal(2);
        expect(stderr).to.include('The activation token was created, but lost with the output.');
      }
    });

    it('exits with the code of a verdict when the reader of stdout has left', async () => {
      const {url} = await thirdPartyService(json({}, 401));
      const child = spawnChild(['doctor'], {env: {CONNECTORCTL_BASE_URL: url}});
      child.stdout!.destroy();
      expect(await once(child, 'exit')).to.deep.equal([3, null]);
    });

    it('exits with the code of an error even when stdout and stderr are closed', async () => {
      await serve({}, 404);
      for (const mode of [[], ['--json']]) {
        const child = spawnChild([...get, ...mode], {env});
        child.stdout!.destroy();
        child.stderr!.destroy();
        expect(await once(child, 'exit')).to.deep.equal([4, null]);
      }
    });

    it('says nothing of a full disk that it did not need', async () => {
      const nowhere = {CONNECTORCTL_BASE_URL: 'http://127.0.0.1:1'};
      const under = shell('>/dev/full');
      const failed = await runChild([...list, '--retries', '0'], {env: nowhere, under});
      expect(failed.code).to.equal(6);
      expect(failed.stderr.match(/^Error:/gm)).to.have.length(1);
    });

    it('works with streams that are closed from the start', async () => {
      await serve({id: 'con_1'});
      const arrangements = ['<&-', '>&-', '2>&-', '<&- >&- 2>&-'];
      const runs = await Promise.all(
        arrangements.map(async (closed) => {
          const {code, stderr} = await runChild(get, {env, under: shell(closed)});
          return {code, stderr};
        }),
      );
      expect(runs).to.deep.equal(arrangements.map(() => ({code: 0, stderr: ''})));
      const {code} = await runChild(['nope'], {under: shell('2>&-')});
      expect(code).to.equal(2);
    });

    it('exits 2 with an error when stdout is not writable', async () => {
      await serve({id: 'con_1'});
      for (const mode of [[], ['--json']]) {
        const run = await runChild([...get, ...mode], {env, under: shell('4</dev/null >&4')});
        expect(run.code).to.equal(2);
        expect(run.stderr).to.equal(
          'Error: Cannot write the output: bad file descriptor (EBADF).\n' +
            '  Send stdout to a terminal, a file, or a program that reads all of it.\n',
        );
      }
    });
  });

  it('reports the lost credential when the reader disconnects after the request was sent', async () => {
    const activate = ['connector', 'activate', '--name', 'web-1'];
    const accepted = json({id: 'con_1', api_key: connectorKey()}, 201);
    const given = {CONNECTORCTL_ACTIVATION_TOKEN: activationToken()};
    for (const mode of [[], ['--json']]) {
      const {code, stderr} = await withLeavingReader([...activate, ...mode], accepted, given);
      expect(code, stderr).to.equal(2);
      expect(stderr)
        .to.match(/^Error: Cannot write .* \(EPIPE\)/)
        .and.include('con_1 is activated, and its credential is lost')
        .and.not.include(connectorKey());
    }
  });

  describe('with standard input', () => {
    const activate = ['connector', 'activate', '--name', 'web-1'];

    beforeEach(() => serve({id: 'con_1'}, 201));

    it('reads the activation token or the API key from it', async () => {
      const {url, seen} = await thirdPartyService(json({id: 'con_1'}, 201));
      const options = {env: {CONNECTORCTL_BASE_URL: url}};
      const input = `  ${activationToken()}\r\n`;
      const run = await runChild([...activate, '--token-file', '-'], {...options, input});
      expect(run.code, run.stderr).to.equal(0);
      const key = await runChild([...get, '--api-key-file', '-'], {
        ...options,
        input: `${organizationKey()}\n`,
      });
      expect(key.code, key.stderr).to.equal(0);
      expect(JSON.parse(seen[0]!.body).token).to.equal(activationToken());
      expect(seen[1]!.headers.authorization).to.equal(`Bearer ${organizationKey()}`);
    });

    it('reads one secret from it, and refuses another', async () => {
      const run = await runChild([...activate, '--token-file', '-', '--api-key-file', '-'], {
        env,
        input: activationToken(),
      });
      expect(run).to.deep.include({code: 2, stdout: ''});
      expect(run.stderr)
        .to.include('No API key in standard input: it is empty.')
        .and.not.include(activationToken());
    });

    it('does not wait for a token from it when it is a terminal', async () => {
      const terminal = openTerminal([...activate, '--token-file', '-'], {env});
      expect(await terminal.ended).to.include({code: 2});
      expect(terminal.screen().join(' ')).to.include('reads the activation token from a pipe');
    });
  });

  describe('in a terminal', () => {
    const fleet = [
      {id: 'con_1', name: 'web-1', status: 'online'},
      {id: 'con_2', name: 'a-name-that-is-far-too-long-for-so-few-columns', status: 'offline'},
    ];
    const green = '\x1b[32monline\x1b[39m';

    beforeEach(() => serve(fleet));

    const show = async (variables: Record<string, string> = {}, flags: readonly string[] = []) => {
      const terminal = openTerminal([...list, ...flags], {env: {...env, ...variables}});
      expect(await terminal.ended).to.include({code: 0});
      return terminal;
    };

    it('prints color unless a variable or --no-color disables it', async () => {
      const runs = await Promise.all(
        [
          show(),
          show({NO_COLOR: '1'}),
          show({TERM: 'dumb'}),
          show({FORCE_COLOR: '0'}),
          show({}, ['--no-color']),
          show({NO_COLOR: ''}),
        ].map(async (run) => (await run).written().includes(green)),
      );
      expect(runs).to.deep.equal([true, false, false, false, false, true]);
    });
  });
});

import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {certificate, privateKey} from '../support/network/certificates.js';
import {
  runChild,
  runScript,
  type Service,
  shownKey,
  startServe,
  startService,
} from '../support/process/child.js';
import {root} from '../support/sources.js';
import {suiteDirectory} from '../support/temporary-directory.js';
import {documents} from './documents.js';

/** Lines that cannot run here, with the reason. */
const excluded: readonly (readonly [RegExp, string])[] = [
  [/^(npm|npx) /, 'installs, builds or tests this project; CI runs them'],
  [/install\.sh \| sh/, 'needs a release; see test/distribution/release/install.spec.ts'],
  [/^docker /, 'needs Docker; see test/distribution/contrib/contrib.spec.ts'],
  [
    /systemctl|journalctl|^sudo |contrib\/systemd|\/etc\/connectorctl\/(\w+\.env|web-1\.token|api-key)|WEBHOOK_URL=|^cd \/usr\/|^mkdir -p \/etc\/|^cat \/var\//,
    'needs systemd',
  ],
  [
    /postgres:\/\/|^ *(createuser|createdb|PGPASSWORD|psql)/,
    'needs PostgreSQL; see test/store/postgres',
  ],
  [/^CONNECTORCTL_(HOST|TLS_\w+|TRUST_PROXY|INSECURE_HTTP)=\S+$/, 'is of an environment file'],
  [/connectorctl login/, 'prompts; see test/commands/login.test.ts'],
  [/--profile (prod|acme)/, 'uses the profile that login makes'],
  [
    /activate --force|store remove --yes - </,
    'needs the store of its service; see test/server/admin/lifecycle.test.ts',
  ],
  [/store remove (?!.*--yes)/, 'asks; see test/commands/store/remove.test.ts'],
  [/^install .*\/var\/lib\/private/, 'needs systemd'],
  [/activate --base-url/, 'prompts; see test/e2e/prompts.spec.ts'],
  [
    /connector monitor|contrib\/monitor/,
    'waits for changes; see test/distribution/contrib/monitor.spec.ts',
  ],
  [/^jq .*\| logger /, 'is a part of a script for --exec, and needs syslog'],
];
const reasonFor = (line: string) => excluded.find(([pattern]) => pattern.test(line));

/** Commands that run until they are stopped; the test stops them after their first output. */
const endless = /^connectorctl (serve\b|.*--watch\b|connector run\b(?!.*( -- |\\$)))/;

/** The blocks of shell commands on all pages, without output, and without those that another test runs. */
const blocks = documents
  // The latter run in command-sessions.spec.ts.
  .filter(({path}) => path !== 'docs/guides/enroll.md' && !path.startsWith('docs/commands/'))
  .flatMap(({path, text: page}) =>
    [...page.matchAll(/(<!-- run by [^>]*-->\n+)?^ *```(sh|console)\n([\s\S]*?)^ *```$/gm)]
      .filter(([, runElsewhere]) => runElsewhere === undefined)
      .map(({2: kind, 3: content = '', index}) => ({
        title: `${path}:${page.slice(0, index).split('\n').length}`,
        lines: content
          .split('\n')
          .filter((line) => line !== '' && (kind === 'sh' || line.startsWith('$ ')))
          .map((line) => line.replace(/^\$ /, '').trimEnd()),
      })),
  )
  .map(({title, lines}) => ({title, lines, runnable: lines.filter((line) => !reasonFor(line))}));

describe('the shell commands in the documents', () => {
  it('are left out of the tests only by patterns that still match one of them', () => {
    const lines = blocks.flatMap((block) => block.lines);
    const stale = excluded.filter(([pattern]) => !lines.some((line) => pattern.test(line)));
    expect(stale, 'remove these from `excluded`').to.deep.equal([]);
    expect(blocks.flatMap(({runnable}) => runnable)).to.have.length.above(40);
  });

  it('name only scripts of package.json after npm run', () => {
    const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const names = documents.flatMap(({text: page}) =>
      [...page.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name),
    );
    expect(Object.keys(scripts)).to.include.members(names);
  });
});

describe('a block of shell commands in the documents exits with 0:', () => {
  let sandbox: Service;
  let key: string;
  /** Of the prepared store: the id of its API key and of its only connector. */
  let ofStore: {readonly key: string; readonly connector: string};
  const at = suiteDirectory(async () => sandbox?.stop());

  const run = async (env: Record<string, string>, ...argv: string[]) => {
    const {code, stdout, stderr} = await runChild(argv, {env});
    expect(code, `${argv.join(' ')}\n${stderr}`).to.equal(0);
    return stdout;
  };

  before(async () => {
    const service = await startService(at('store'));
    const env = {
      CONNECTORCTL_BASE_URL: service.url,
      CONNECTORCTL_API_KEY_FILE: at('store', 'first-api-key'),
    };
    const token = (await run(env, 'token', 'create')).trim();
    writeFileSync(at('token'), token, {mode: 0o600});
    const activate = ['connector', 'activate', '--name', 'a', '--token-file', at('token')];
    const {id: connector} = JSON.parse(await run(env, ...activate, '--json'));
    await service.stop();
    const [{id}] = JSON.parse(await run({}, 'key', 'list', '--store', at('store'), '--json'));
    ofStore = {key: id, connector};
    sandbox = await startServe(['--sandbox']);
    key = await shownKey(sandbox);
    writeFileSync(at('key'), key, {mode: 0o600});
  });

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'},
      ...(body && {body: JSON.stringify(body)}),
    });
    expect(response.ok, `${method} ${path}`).to.equal(true);
    return JSON.parse((await response.text()) || '{}');
  };

  /** Replaces placeholders, and the addresses and paths of another machine. */
  const filled = (line: string, connector: string) =>
    line
      .replaceAll(
        /(key revoke|store remove|store reissue) (con_01ARZ3NDEKTSV4RRFFQ69G5FAV|"\$ID")/g,
        `$1 ${ofStore.connector}`,
      )
      .replaceAll('con_01ARZ3NDEKTSV4RRFFQ69G5FAV', connector)
      .replaceAll('key_01ARZ3NDEKTSV4RRFFQ69G5FAV', ofStore.key)
      .replaceAll(/http:\/\/127\.0\.0\.1:(4480|8080)|https:\/\/connectors\.example/g, sandbox.url)
      .replaceAll(/CONNECTORCTL_API_KEY=(ck_)?\.\.\./g, `CONNECTORCTL_API_KEY=${key}`)
      .replaceAll('act_...', '$(connectorctl token create)')
      .replaceAll('--writes-to connectors.example', '--writes-to 127.0.0.1')
      .replaceAll('--port 4480', '--port 0')
      .replace(
        /\/var\/lib\/private\/connectorctl-connector\/([\w-]+)\/connector\.json/,
        './$1.json',
      )
      .replaceAll(
        /\/(?:etc|var\/lib)\/(?:connectorctl\/)?(\S+\.json)|\/usr\/bin\/(agent)/g,
        './$1$2',
      )
      .replaceAll('/var/lib/connectorctl', '.')
      .replaceAll(/(?:\.\.\/connectorctl-backups|\/backup)\/store\.\w+/g, 'store.backup')
      .replaceAll(' store.jsonl', ' store/store.jsonl')
      .replaceAll('bin/dev.js', `'${join(root, 'bin', 'dev.js')}'`)
      .replace(endless, 'until_it_writes $&');

  /** Creates a directory as the pages assume it, and three connectors; resolves to the id of one. */
  async function prepare(script: string): Promise<string> {
    mkdirSync(at('work', '.keys'), {recursive: true});
    writeFileSync(at('work', '.keys', 'staging'), key);
    for (const copy of ['store', 'store.backup', '.local/share/connectorctl/store']) {
      cpSync(at('store'), at('work', copy), {recursive: true});
    }
    writeFileSync(at('work', 'cert.pem'), certificate);
    writeFileSync(at('work', 'key.pem'), privateKey, {mode: 0o600});
    writeFileSync(at('work', 'agent'), '#!/bin/sh\nexit 0\n', {mode: 0o755});
    await call('POST', '/_sandbox/reset');
    await call('POST', '/_sandbox/fleet', {count: 3});
    const connectors: {id: string; name: string}[] = await call('GET', '/api/connectors');
    const names = connectors.map(({name}) => `${name}\n`).join('');
    writeFileSync(at('work', 'fleet.csv'), `name\n${names}`);
    writeFileSync(at('work', 'machines.csv'), 'name\nweb-1\nweb-2\n');
    const other = await call('POST', '/_sandbox/keys', {organization: 'other'});
    writeFileSync(at('work', 'other.key'), other.api_key);
    const {token} = await call('POST', '/api/connectors/create-token');
    writeFileSync(at('work', 'token'), token);
    if (
      /(heartbeat|run|doctor) --credentials-file/.test(script) &&
      !script.includes('connector activate')
    ) {
      const to = ['--name', 'w', '--credentials-file', at('work', 'web-1.json')];
      const env = {CONNECTORCTL_BASE_URL: sandbox.url};
      await run(env, 'connector', 'activate', '--token-file', at('work', 'token'), ...to);
    }
    return connectors[0]!.id;
  }

  for (const {title, runnable} of blocks.filter((block) => block.runnable.length > 0)) {
    it(title, async function () {
      this.timeout(240_000);
      const connector = await prepare(runnable.join('\n'));
      try {
        const script = runnable.map((line) => filled(line, connector)).join('\n');
        const words = ['-eo', 'pipefail', '-c', `${untilItWrites}\nset -x\n${script}`];
        const {code, stdout, stderr} = await runScript(words, {
          directory: at('work'),
          env: {
            HOSTNAME: 'web-2',
            ID: connector,
            CONNECTORCTL_BASE_URL: sandbox.url,
            CONNECTORCTL_API_KEY: key,
            CONNECTORCTL_PORT: '0',
          },
          shell: 'bash',
        });
        expect(code, `${stdout}\n${stderr}`).to.equal(0);
      } finally {
        rmSync(at('work'), {recursive: true, force: true, maxRetries: 10});
      }
    });
  }
});

/** A shell function that interrupts a command once it has written to stdout. */
const untilItWrites = `until_it_writes() {
  set +x
  : > .written; "$@" > .written & local pid=$! code=0
  until [ -s .written ]; do kill -0 $pid; sleep 0.1; done
  kill -INT $pid; wait $pid || code=$?
  set -x
  [ $code = 0 ] || [ $code = 130 ]
}`;

import {execFile} from 'node:child_process';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {type Executed, readCoverage} from '../support/coverage.js';
import {root} from '../support/sources.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {closeThirdPartyServices, json, thirdPartyService} from '../support/third-party-service.js';

const runFile = promisify(execFile);

/** The modules that a run may load, and the bytes of the bundle that it may execute. */
interface Allowance {
  readonly files: readonly string[];
  readonly builtins: readonly string[];
  readonly packages: readonly string[];
  readonly own: RegExp;
  readonly bytes: number;
}

/** Modules that any run loads: Node for any program that writes to a pipe, oclif, and our start code. */
const start: Allowance = {
  files: ['cli.cjs', 'start.cjs'],
  builtins: [
    ...['buffer', 'diagnostics_channel', 'events', 'fs', 'module', 'net', 'os', 'path', 'process'],
    ...['stream', 'stream/promises', 'string_decoder', 'timers', 'tty', 'url', 'util', 'vm'],
  ],
  packages: [
    ...['@oclif/core', 'debug', 'fastest-levenshtein', 'has-flag', 'ms', 'supports-color'],
  ],
  own: /^(scripts\/bundle|src\/(cli|system|terminal))\/|^src\/(domain\/(secret|suggestion)|errors|flags)\./,
  bytes: 65_000,
};

const help: Allowance = {
  ...start,
  packages: [
    ...start.packages,
    ...['ansi-regex', 'ansi-styles', 'ansis', 'emoji-regex', 'indent-string', 'strip-ansi'],
    ...['is-fullwidth-code-point', 'string-width', 'widest-line', 'wrap-ansi', 'wordwrap'],
  ],
  // The table of statuses.
  own: new RegExp(`${start.own.source}|^src/(contract/limits|domain/(liveness|time))\\.`),
  bytes: 98_000,
};

const request: Allowance = {
  files: ['cli.cjs', 'client.cjs', 'start.cjs'],
  builtins: [
    ...start.builtins,
    ...['_http_agent', '_http_client', '_http_common', '_http_incoming', '_http_outgoing'],
    ...['_http_server', 'async_hooks', 'http', 'timers/promises'],
  ],
  packages: [
    ...start.packages,
    ...['got', '@sindresorhus/is', 'byte-counter', 'decompress-response', 'lowercase-keys'],
    ...['mimic-response', 'p-cancelable', 'wordwrap'],
    // No request uses got's cache and forms, but loading them takes less than a millisecond.
    ...['cacheable-request', '@keyv/serialize', '@sec-ant/readable-stream', 'get-stream'],
    ...['http-cache-semantics', 'is-stream', 'keyv', 'normalize-url', 'responselike'],
    'form-data-encoder',
  ],
  own: /^scripts\/bundle\/|^src\/(cli|client|commands|connector|contract|domain|errors|flags|service|system|terminal)\b/,
  bytes: 165_000,
};

/** Completion that does not call the service. */
const completion: Allowance = {
  ...start,
  packages: [...start.packages, 'wordwrap'],
  bytes: 86_000,
  own: new RegExp(
    `${start.own.source}|^src/(commands/__complete|contract/\\w+|domain/(duration|json|misplaced-secret)|service/profiles/\\w+)\\.`,
  ),
};

/** Loaded half a second after the start, so only by runs on a busy machine; see `debugger.ts`. */
const late: readonly string[] = ['inspector', 'worker_threads'];

describe('the bundle', () => {
  const path = temporaryDirectory();
  afterEach(closeThirdPartyServices);

  const execute = async (argv: readonly string[]): Promise<Executed> => {
    const connector = {id: 'con_1', name: 'web', status: 'online', last_heartbeat_at: null};
    const service = await thirdPartyService((seen, ...rest) =>
      json(seen.path.endsWith('con_1') ? connector : [connector])(seen, ...rest),
    );
    await runFile(process.execPath, [join(root, 'bin', 'run.js'), ...argv], {
      env: {
        PATH: process.env['PATH'],
        HOME: path(),
        CONNECTORCTL_BASE_URL: service.url,
        CONNECTORCTL_API_KEY: 'a-key',
        NODE_V8_COVERAGE: path('coverage'),
      },
    });
    return readCoverage(path('coverage'));
  };

  const advice =
    'Load it with import() where it is needed, or raise the allowance in test/bundle/modules.test.ts and say why in the commit.';
  const cases: [string, Allowance][] = [
    ['--version', start],
    ['--help', help],
    ['connector --help', help],
    ['connector get --help', help],
    ['__complete -- connector list -o ', completion],
    ['__complete -- connector get ', request],
    ['connector get con_1', request],
    ['connector get con_1 --json', request],
    ['connector list', request],
  ];
  for (const [line, allowance] of cases) {
    it(`loads only the modules that it needs for: ${line}`, async () => {
      const executed = await execute(line.split(' '));
      expect(executed.files).to.deep.equal(allowance.files);
      for (const kind of ['builtins', 'packages'] as const) {
        const allowed = [...allowance[kind], ...late];
        const refused = executed[kind].filter((name) => !allowed.includes(name));
        expect(refused, `${kind}. ${advice}`).to.deep.equal([]);
      }
      expect(
        executed.own.filter((name) => !allowance.own.test(name)),
        advice,
      ).to.deep.equal([]);
      expect(executed.own).to.include('src/cli/main.ts');
      expect(executed.own.filter((name) => /sandbox/.test(name))).to.deep.equal([]);
      expect(executed.bytes, advice).to.be.within(allowance.bytes / 2, allowance.bytes);
    });
  }
});

import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {copyFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {expect} from 'chai';
import {bundleFiles} from '../../../scripts/build/bundle.js';
import {
  executable,
  executableDirectory,
  executableNode,
} from '../../../scripts/build/executable.js';
import {installNode} from '../../../scripts/build/nodes.js';
import {notice} from '../../support/notice.js';
import {unprivileged} from '../../support/process/unprivileged.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {json, thirdPartyService} from '../../support/third-party.js';

const runFile = promisify(execFile);
const mebibyte = 1024 * 1024;

/**
 * Tests that apply only to the executable; the tests in `e2e` run on it too. They do not end in `.test.ts`,
 * because building it needs a special Node.
 */
describe('the executable', () => {
  const path = temporaryDirectory();

  /** Runs the executable with no environment except HOME, so without another Node in PATH. */
  const run = (argv: readonly string[], env = {}, command = [executable]) => {
    const [program = '', ...words] = [...command, ...argv];
    return runFile(program, words, {env: {HOME: path('home'), ...env}});
  };

  beforeEach(() => mkdirSync(path('home')));

  it('contains its own Node', async () => {
    const {stdout} = await run(['--version']);
    expect(stdout).to.match(new RegExp(`^connectorctl/\\S+ \\S+ node-v${executableNode}\\.`));
  });

  it('works from a read-only directory with a read-only home', async () => {
    const {url} = await thirdPartyService(json({id: 'con_1', name: 'web'}));
    mkdirSync(path('bin'));
    await copyFile(executable, path('bin', 'connectorctl'));
    chmodSync(path('bin'), 0o555);
    chmodSync(path('home'), 0o555);
    const get = ['connector', 'get', 'con_1', '--base-url', url];
    const {stdout} = await run(get, {}, [...unprivileged, path('bin', 'connectorctl')]);
    expect(stdout).to.match(/^Name: +web$/m);
    expect(readdirSync(path('home'))).to.deep.equal([]);
    chmodSync(path('bin'), 0o755);
    chmodSync(path('home'), 0o755);
  });

  it('never opens the inspector on SIGUSR1, even during start', async () => {
    const env = {HOME: path('home'), NODE_OPTIONS: '--inspect-port=0'};
    // Ignored from before the exec: until Node has started, a signal would otherwise end the process.
    const shell = ['-c', 'trap "" USR1; echo; exec "$@"', 'sh'];
    const serve = [executable, 'serve', '--port', '0', '--store', path('store')];
    const child = spawn('sh', [...shell, ...serve], {env: {...process.env, ...env}});
    const stderr = text(child.stderr);
    const ended = once(child, 'exit');
    const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
    await lines.next();
    const pause = setInterval(() => child.kill('SIGUSR1'), 5);
    expect((await lines.next()).value).to.match(/^http:/);
    clearInterval(pause);
    child.kill('SIGTERM');
    expect(await ended).to.deep.equal([0, null]);
    expect(await stderr).not.to.include('Debugger');
  });

  it('includes the licenses of its parts, and is no larger than these parts', () => {
    const licenses = readFileSync(join(executableDirectory, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['fastify', 'got', 'Node.js', 'OpenSSL', 'V8']) {
      expect(licenses).to.match(new RegExp(`^.*${name}`, 'm'));
    }
    const bom = JSON.parse(readFileSync(join(executableDirectory, 'sbom.cdx.json'), 'utf8'));
    const purls: string[] = bom.components.map(({purl}: {purl: string}) => purl);
    expect(purls.some((purl) => purl.startsWith('pkg:npm/fastify@'))).to.equal(true);
    expect(purls.at(-1)).to.match(/^pkg:generic\/node@\d+\./);
    const page = readFileSync(join(executableDirectory, 'connectorctl.1'), 'utf8');
    expect(page).to.match(/^\.TH CONNECTORCTL 1 /);
    const {size} = statSync(executable);
    notice(`The executable: ${Math.round(size / mebibyte)} MiB.`);
    const parts = bundleFiles.map((name) => join(root, 'dist', name));
    const sizes = [installNode(executableNode).path, ...parts].map((file) => statSync(file).size);
    expect(size).to.be.lessThan(sizes.reduce((sum, each) => sum + each, mebibyte));
  });
});

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {expect} from 'chai';
import {executable, executableDirectory} from '../../../scripts/build/executable.js';
import {makeArchive} from '../../../scripts/release/archive.js';
import {packagesOfLibraries} from '../../../scripts/release/deb.js';
import {platforms} from '../../../scripts/release/platforms.js';
import {releaseOf, sumsOf} from '../../support/build/release.js';
import {notice} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {thirdPartyService} from '../../support/third-party.js';

const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const here = platforms.find(({name}) => name === `${process.platform}-${process.arch}`);
const page = readFileSync(join(root, 'docs/guides/production.md'), 'utf8');
/** The commands of the page, by what they remove. */
const [program = '', completion = '', ofUser = ''] = [
  ...page.matchAll(
    /<!-- run by test\/distribution\/executable\/install\.spec\.ts -->\n\n```sh\n(.*?)```/gs,
  ),
].map(([, block = '']) => block);

const filesBelow = (directory: string) =>
  readdirSync(directory, {recursive: true, withFileTypes: true})
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

// Archives are made by GNU tar.
const isLinux = process.platform === 'linux' && here !== undefined;
if (!isLinux) notice('Not Linux: the installed executable is not tested.');

(isLinux ? describe : describe.skip)('the executable of a release', () => {
  const path = temporaryDirectory();

  /** Someone with startup files of the shells, and nothing of ours. */
  function environment(): NodeJS.ProcessEnv {
    for (const name of ['home', 'tmp', 'work', 'made']) mkdirSync(path(name));
    for (const name of ['.bashrc', '.zshrc'])
      writeFileSync(path('home', name), 'alias ll="ls -l"\n');
    return {
      HOME: path('home'),
      TMPDIR: path('tmp'),
      PATH: `${path('home', '.local', 'bin')}:${process.env['PATH']}`,
    };
  }

  /** The release of this machine on a server, and its installer. */
  async function install(env: NodeJS.ProcessEnv): Promise<void> {
    if (here === undefined) return;
    const texts = {url: '', homepage: '', description: '', license: '', author: ''};
    const release = {...texts, version, epoch: 1e9, effort: '0'} as const;
    const archive = makeArchive(executableDirectory, here, release, path('made'));
    const name = `connectorctl-${version}-${here.name}.tar.xz`;
    const files = {[name]: readFileSync(archive), SHA256SUMS: sumsOf([archive])};
    const {url} = await thirdPartyService(releaseOf(version, files));
    const words = ['--repository', `${url}/owner/name`, '--dir', path('home', '.local', 'bin')];
    const child = spawn('sh', [join(root, 'install.sh'), ...words], {env, stdio: 'ignore'});
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  }

  /** Starts a service; its URL is the first line that begins with http. */
  async function serve(env: NodeJS.ProcessEnv) {
    const child = spawn('connectorctl', ['serve', '--port', '0'], {
      env,
      cwd: path('work'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    for await (const line of createInterface({input: child.stdout})) {
      if (line.startsWith('http')) return {child, url: line, ended};
    }
    throw new Error('serve ended');
  }

  it('needs no newer libraries than those of its deb', () => {
    const lines = execFileSync('ldd', ['-v', executable], {encoding: 'utf8'}).split('\n');
    const own = lines.slice(lines.findIndex((line) => line.startsWith(`\t${executable}:`)) + 1);
    const end = own.findIndex((line) => !line.startsWith('\t\t'));
    const needed = own
      .slice(0, end)
      .flatMap((line) => /\((\w+)_([\d.]+)\)/.exec(line)?.slice(1) ?? []);
    expect(needed).to.have.length.above(20);
    const newest = Object.assign({}, ...Object.values(packagesOfLibraries));
    const newer = needed.flatMap((name, at) => {
      const version = needed[at + 1] ?? '';
      if (at % 2 === 1 || version.localeCompare(newest[name] ?? '', 'en', {numeric: true}) <= 0)
        return [];
      return [`${name}_${version}`];
    });
    expect(newer).to.deep.equal([]);
  });

  it('installs, works, and leaves nothing after the section Uninstall of docs/guides/production.md', async () => {
    const env = environment();
    const before = filesBelow(path('home'));
    await install(env);
    const shell = (script: string, more: NodeJS.ProcessEnv = {}) =>
      execFileSync('sh', ['-eu', '-c', script], {
        cwd: path('work'),
        encoding: 'utf8',
        env: {...env, ...more},
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const shown = JSON.parse(shell('connectorctl --version --json'));
    expect(shown).to.include({version, platform: here?.name});
    const service = await serve(env);
    const key = path('home', '.local', 'share', 'connectorctl', 'store', 'first-api-key');
    const own = {
      CONNECTORCTL_BASE_URL: service.url,
      CONNECTORCTL_API_KEY: readFileSync(key, 'utf8').trim(),
    };
    shell(
      `echo "$CONNECTORCTL_API_KEY" | connectorctl login --base-url "$CONNECTORCTL_BASE_URL" --api-key-file - --no-input
      connectorctl token create > token
      connectorctl connector activate --name web-1 --token-file token
      connectorctl connector list
      echo 'eval "$(connectorctl completion bash)"' >> ~/.bashrc
      echo 'eval "$(connectorctl completion zsh)"' >> ~/.zshrc
      mkdir -p ~/.zfunc ~/.config/fish/completions
      connectorctl completion zsh > ~/.zfunc/_connectorctl
      connectorctl completion fish > ~/.config/fish/completions/connectorctl.fish`,
      own,
    );
    service.child.kill('SIGTERM');
    await service.ended;
    for (const directory of ['.config', '.cache', '.local/share'])
      expect(filesBelow(path('home', directory, 'connectorctl')), directory).not.to.deep.equal([]);

    shell(`${completion}\n${ofUser}\n${program}`);
    expect(filesBelow(path('home'))).to.deep.equal(before);
    for (const name of before)
      expect(readFileSync(path('home', name), 'utf8')).to.equal('alias ll="ls -l"\n');
    expect(readdirSync(path('tmp'))).to.deep.equal([]);
  });
});

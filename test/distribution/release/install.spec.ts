import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {makeArchive} from '../../../scripts/release/archive.js';
import {platforms} from '../../../scripts/release/platforms.js';
import {releaseOf, type Sent, standIn, sumsOf} from '../../support/build/release.js';
import {isInstalled, notice} from '../../support/notice.js';
import {resultOf} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {type Respond, thirdPartyService} from '../../support/third-party.js';

const version = '1.2.3';
const here = platforms.find(({name}) => name === `${process.platform}-${process.arch}`);
const archive = `connectorctl-${version}-${here?.name}.tar.xz`;
const shells = [['dash'], ['busybox', 'ash'], ['bash', '--posix']].filter(
  ([shell = '']) => shell === 'bash' || isInstalledShell(shell),
);

/** dash has no --version. */
function isInstalledShell(shell: string): boolean {
  if (shell !== 'dash') return isInstalled(shell);
  const found = spawnSync('dash', ['-c', ':']).error === undefined;
  if (!found) notice('Not installed: dash. What needs it is not tested.');
  return found;
}

/** All files below a directory, without those that were there before. */
const filesBelow = (directory: string) =>
  readdirSync(directory, {recursive: true, encoding: 'utf8'}).sort();

/** Archives are made by GNU tar. */
const isLinux = process.platform === 'linux' && here !== undefined;
if (!isLinux) notice('Not Linux: install.sh and the action are not tested.');

(isLinux ? describe : describe.skip)('install.sh', () => {
  const path = temporaryDirectory();
  let files: Record<string, Sent>;

  beforeEach(() => {
    for (const name of ['home', 'tmp', 'made']) mkdirSync(path(name));
    files = release();
  });

  /** The files of a release for this machine, whose executable is a script. */
  function release(program?: string): Record<string, Sent> {
    if (here === undefined) return {};
    standIn(path('built'), version);
    if (program !== undefined) writeFileSync(path('built', 'connectorctl'), program);
    const texts = {url: '', homepage: '', description: '', license: '', author: ''};
    const made = makeArchive(
      path('built'),
      here,
      {...texts, version, epoch: 1e9, effort: '0'},
      path('made'),
    );
    return {[archive]: readFileSync(made), SHA256SUMS: sumsOf([made])};
  }

  /** The environment of a person without connectorctl, with these programs before all others. */
  function environment(programs: Readonly<Record<string, string>> = {}) {
    mkdirSync(path('programs'), {recursive: true});
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(path('programs', name), `#!/bin/sh\n${script}\n`);
      chmodSync(path('programs', name), 0o755);
    }
    const PATH = `${path('programs')}:${process.env['PATH']}`;
    return {HOME: path('home'), TMPDIR: path('tmp'), PATH};
  }

  /** Runs an installer, by default that of the repository. */
  function install(
    words: readonly string[],
    {env = environment(), shell = ['sh'], file = join(root, 'install.sh')} = {},
  ) {
    const [program = '', ...before] = shell;
    return resultOf(spawn(program, [...before, file, ...words], {env, cwd: path()}));
  }

  const serve = async (respond: Respond = releaseOf(version, files)) =>
    `${(await thirdPartyService(respond)).url}/owner/name`;
  const bin = () => path('home', '.local', 'bin');
  /** --dir, since a test may run as root. */
  const into = () => ['--dir', bin()];

  for (const shell of shells) {
    it(`installs the latest and a given version by ${shell.join(' ')}, and leaves only the executable`, async () => {
      const repository = await serve();
      for (const words of [[], ['--version', version], ['--version', `v${version}`]]) {
        const run = await install([...into(), '--repository', repository, ...words], {shell});
        expect(run, run.stderr).to.include({
          code: 0,
          stdout: `${join(bin(), 'connectorctl')}: connectorctl/${version}\n`,
        });
        expect(run.stderr)
          .to.include(`${bin()} is not in PATH`)
          .and.include(`export PATH="${bin()}:$PATH"\n`);
        expect(filesBelow(path('home'))).to.deep.equal([
          '.local',
          '.local/bin',
          '.local/bin/connectorctl',
        ]);
        expect(filesBelow(path('tmp'))).to.deep.equal([]);
      }
    });
  }

  it('of a release needs no flag, and chooses the directory by XDG_BIN_HOME', async () => {
    const file = path('stamped.sh');
    const script = readFileSync(join(root, 'install.sh'), 'utf8');
    const stamped = script.replace(/^repository=$/m, `repository=${await serve()}`);
    writeFileSync(file, stamped.replace(/^version=$/m, `version=${version}`));
    const env = {...environment({id: 'echo 1000'}), XDG_BIN_HOME: path('own')};
    expect(await install([], {env, file})).to.include({code: 0});
    expect(filesBelow(path('own'))).to.deep.equal(['connectorctl']);
  });

  it('replaces an older executable, also one that npm linked, in one step', async () => {
    mkdirSync(bin(), {recursive: true});
    writeFileSync(path('old'), 'old');
    symlinkSync(path('old'), join(bin(), 'connectorctl'));
    const run = await install([...into(), '--repository', await serve()]);
    expect(run.code, run.stderr).to.equal(0);
    expect(() => readlinkSync(join(bin(), 'connectorctl'))).to.throw('EINVAL');
    expect(readFileSync(path('old'), 'utf8')).to.equal('old');
  });

  const changed = (content: Sent | undefined) => {
    const bytes = Buffer.from(content ?? '');
    const at = bytes.length >> 1;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };
  /** What the server sends in place of a good release, or what the machine lacks, and the message. */
  const failures: readonly {
    readonly title: string;
    readonly message: RegExp;
    readonly code?: number;
    readonly files?: () => Record<string, Sent>;
    readonly words?: readonly string[];
    readonly programs?: Readonly<Record<string, string>>;
  }[] = [
    {
      title: 'an archive with one changed byte',
      files: () => ({...files, [archive]: changed(files[archive])}),
      message: /is damaged or not the one of the release: its SHA-256 is/,
    },
    {
      title: 'a release without checksums',
      files: () => ({[archive]: files[archive] ?? ''}),
      words: ['--version', version],
      message: /has no SHA256SUMS, without which nothing is installed/,
    },
    {
      title: 'a version that does not exist',
      words: ['--version', '9.9.9'],
      code: 3,
      message: /there is no release 9\.9\.9/,
    },
    {
      title: 'an executable that does not start',
      files: () => release('#!/bin/sh\necho "no such library" >&2\nexit 127\n'),
      message: /no such library\n.*does not start on this machine/,
    },
    {
      title: 'an address without TLS',
      words: ['--repository', 'http://example.com/owner/name'],
      message: /is no address that begins with https/,
    },
    {title: 'a mistyped flag', words: ['--vresion', '1'], code: 2, message: /--vresion is unknown/},
    {
      title: 'no disk space for the executable',
      programs: {cp: 'echo "No space left on device" >&2; printf half >"$2"; exit 1'},
      message: /No space left on device\n.*cannot be written to/,
    },
  ];

  for (const {title, message, code = 1, words = [], programs = {}, files: sent} of failures) {
    it(`refuses ${title}, keeps an older executable, and leaves nothing behind`, async () => {
      mkdirSync(bin(), {recursive: true});
      writeFileSync(join(bin(), 'connectorctl'), 'old');
      const repository = await serve(releaseOf(version, sent?.() ?? files));
      const found = filesBelow(path('home'));
      const env = environment(programs);
      const run = await install([...into(), '--repository', repository, ...words], {env});
      expect(run.stderr).to.match(message);
      expect(run).to.include({code, stdout: ''});
      expect(filesBelow(path('home'))).to.deep.equal(found);
      expect(readFileSync(join(bin(), 'connectorctl'), 'utf8')).to.equal('old');
      expect(filesBelow(path('tmp'))).to.deep.equal([]);
    });
  }

  it('leaves nothing behind when it is interrupted during a download', async () => {
    const good = releaseOf(version, files);
    let stop = () => {};
    const repository = await serve((request, response, index) => {
      if (!request.path.endsWith(archive)) return good(request, response, index);
      response.writeHead(200, {'content-length': '1000000'});
      response.write('part');
      stop();
    });
    const child = spawn('sh', [join(root, 'install.sh'), ...into(), '--repository', repository], {
      env: environment(),
      detached: true,
    });
    stop = () => process.kill(-(child.pid ?? 0), 'SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([143, null]);
    expect([...filesBelow(path('home')), ...filesBelow(path('tmp'))]).to.deep.equal([]);
  });

  it('does nothing if only a part of it arrived', async () => {
    const script = readFileSync(join(root, 'install.sh'), 'utf8');
    const parts = [0.3, 0.6, 0.9].map((part) => script.slice(0, script.length * part));
    for (const part of [...parts, script.replace(/\nmain "\$@"\n$/, '\n')]) {
      writeFileSync(path('part.sh'), part);
      await install([...into(), '--repository', await serve()], {file: path('part.sh')});
      expect([...filesBelow(path('home')), ...filesBelow(path('tmp'))]).to.deep.equal([]);
    }
  });

  it('takes GNU wget and openssl where curl and sha256sum are missing', async () => {
    if (!isInstalled('wget')) return;
    const repository = await serve();
    const needed = ['sh', 'uname', 'id', 'tar', 'xz', 'grep', 'sed', 'tail', 'wc', 'cut', 'mktemp'];
    const others = ['rm', 'rmdir', 'mkdir', 'cp', 'mv', 'chmod', 'wget'];
    mkdirSync(path('few'));
    for (const name of [...needed, ...others, 'openssl']) {
      const found = spawnSync('sh', ['-c', `command -v ${name}`], {encoding: 'utf8'}).stdout.trim();
      symlinkSync(found, path('few', name));
    }
    const env = {...environment(), PATH: path('few')};
    const run = await install([...into(), '--repository', repository], {
      env,
      shell: [path('few', 'sh')],
    });
    expect(run.code, run.stderr).to.equal(0);
    const missing = await install([...into(), '--repository', repository, '--version', '9.9.9'], {
      env,
      shell: [path('few', 'sh')],
    });
    expect(missing.code, missing.stderr).to.equal(3);
  });

  if (isInstalled('shellcheck')) {
    it('and the script of the action pass shellcheck', () => {
      for (const name of ['install.sh', 'scripts/action.sh']) {
        const words = [
          '--shell=sh',
          '--enable=all',
          '--exclude=SC2249,SC2250,SC2310,SC2312',
          join(root, name),
        ];
        expect(spawnSync('shellcheck', words, {encoding: 'utf8'}).stdout).to.equal('');
      }
    });
  }

  describe('by the action', () => {
    /** Copies the action into a directory, as GitHub does, with a repository in its package.json. */
    function copyAction(repository?: string): void {
      const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const address = repository && {repository: {type: 'git', url: `git+${repository}.git`}};
      const {repository: _, ...rest} = pjson;
      mkdirSync(path('action', 'scripts'), {recursive: true});
      const text = JSON.stringify({...rest, version, ...address}, null, 2);
      writeFileSync(path('action', 'package.json'), `${text}\n`);
      for (const name of ['install.sh', 'scripts/action.sh'])
        copyFileSync(join(root, name), path('action', name));
    }

    /** Runs the step of action.yml. */
    async function runAction(wanted = '', programs: Readonly<Record<string, string>> = {}) {
      const {runs} = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
      for (const name of ['path', 'output']) writeFileSync(path(name), '');
      const env = {
        ...environment(programs),
        GITHUB_ACTION_PATH: path('action'),
        RUNNER_TEMP: path('home'),
        GITHUB_PATH: path('path'),
        GITHUB_OUTPUT: path('output'),
        INPUT_VERSION: wanted,
      };
      const step = ['-e', '-c', runs.steps[0].run];
      const run = await resultOf(spawn('bash', step, {env, cwd: path()}));
      const written = ['path', 'output'].map((name) => readFileSync(path(name), 'utf8'));
      return {...run, written};
    }

    /** In place of npm: builds a script, and says so. */
    const npm = `echo "npm $*" >&2
if [ "$1" = install ]; then
  mkdir -p "$4/bin"
  printf '#!/bin/sh\\necho built\\n' >"$4/bin/connectorctl"
  chmod +x "$4/bin/connectorctl"
fi`;

    it('puts the release of its version on the PATH', async () => {
      copyAction(await serve());
      const {code, stderr, written} = await runAction('', {npm});
      expect(code, stderr).to.equal(0);
      expect(written).to.deep.equal([
        `${path('home', 'connectorctl', 'bin')}\n`,
        `version=${version}\n`,
      ]);
      expect(filesBelow(path('home', 'connectorctl'))).to.deep.equal(['bin', 'bin/connectorctl']);
      expect(stderr).not.to.include('npm');
    });

    it('builds its version from its path without a release, and without a repository', async () => {
      for (const repository of [await serve(releaseOf('0.0.1', files)), undefined]) {
        copyAction(repository);
        const {code, stdout, stderr, written} = await runAction('', {npm});
        expect(code, stderr).to.equal(0);
        expect(stdout.trim().split('\n').at(-1)).to.equal('built');
        expect(stderr).to.include(`Building connectorctl ${version}`).and.to.include('npm ci');
        expect(written[0]).to.equal(`${path('home', 'connectorctl', 'bin')}\n`);
        expect(filesBelow(path('tmp'))).to.deep.equal([]);
      }
    });
  });
});

import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import {dirname, join} from 'node:path';
import {expect} from 'chai';
import {notice} from '../support/notice.js';
import {runChild} from '../support/process/child.js';
import {temporaryDirectory} from '../support/temporary-directory.js';
import {json, type ThirdPartyService, thirdPartyService} from '../support/third-party.js';
import {organizationKey} from '../support/values/secrets.js';

const stranger = 12_345;
const isSuperuser = process.geteuid?.() === 0;
if (!isSuperuser) notice('Files of other users are not tested: only root can make some.');

describe('a file that another user may have written', () => {
  const at = temporaryDirectory();
  let service: ThirdPartyService;
  beforeEach(async () => {
    service = await thirdPartyService(json([{id: 'con_1', name: 'a', status: 'online'}]));
    mkdirSync(dirname(settings()), {recursive: true});
    const profile = {base_url: service.url, api_key: organizationKey()};
    const text = {version: 1, current: 'p', profiles: {p: profile}};
    writeFileSync(settings(), JSON.stringify(text), {mode: 0o600});
    chmodSync(at(), 0o755);
  });

  const config = (...names: string[]) => at('.config', ...names);
  const settings = () => config('connectorctl', 'settings.json');
  const give = (path: string, uid = stranger) => lchownSync(path, uid, uid);
  const list = (words: readonly string[] = []) =>
    runChild(['connector', 'list', '-o', 'id', ...words], {home: at()});

  const linked = (path: string) => {
    renameSync(path, `${path}-moved`);
    symlinkSync(`${path}-moved`, path);
  };

  /** By what was planted: how, and what the error says of which path below the home directory. */
  const planted: Readonly<Record<string, readonly [() => void, RegExp]>> = {
    'settings that other users can write': [
      () => chmodSync(settings(), 0o666),
      /connectorctl\/settings\.json is not trusted: other users can write to it \(mode 0666\)/,
    ],
    'settings in a directory that other users can write': [
      () => chmodSync(config('connectorctl'), 0o777),
      /\.config\/connectorctl is not trusted: other users can write to it \(mode 0777\)/,
    ],
    'a named pipe in place of the settings': [
      () => {
        renameSync(settings(), `${settings()}-moved`);
        execFileSync('mkfifo', [settings()]);
      },
      /settings\.json is not trusted: it is not a regular file/,
    ],
  };

  const plantedByStranger: typeof planted = {
    'the settings of another user': [
      () => give(settings()),
      /settings\.json is not trusted: it belongs to another user \(uid 12345\)/,
    ],
    'a directory of another user above the settings': [
      () => give(config()),
      /\.config is not trusted: it belongs to another user \(uid 12345\)/,
    ],
    "another user's link to the settings": [
      () => {
        linked(settings());
        give(settings());
      },
      /settings\.json is not trusted: it belongs to another user \(uid 12345\)/,
    ],
    "another user's link to the directory of the settings": [
      () => {
        linked(config('connectorctl'));
        give(config('connectorctl'));
      },
      /\.config\/connectorctl is not trusted: it belongs to another user \(uid 12345\)/,
    ],
  };

  for (const [what, [plant, error]] of Object.entries({
    ...planted,
    ...(isSuperuser && plantedByStranger),
  })) {
    it(`is refused before any request: ${what}`, async () => {
      expect(await list()).to.deep.equal({code: 0, stdout: 'con_1\n', stderr: ''});
      service.seen.length = 0;
      plant();
      const {code, stdout, stderr} = await list();
      expect({code, stdout}, stderr).to.deep.equal({code: 2, stdout: ''});
      expect(stderr).to.match(error);
      expect(service.seen).to.deep.equal([]);
    });
  }

  it('is used when it is a link of this user, as programs for dotfiles make', async () => {
    linked(settings());
    linked(config('connectorctl'));
    linked(config());
    expect((await list()).code).to.equal(0);
  });

  it('is used where its group can write to it, as in a volume with an fsGroup', async () => {
    chmodSync(settings(), 0o660);
    chmodSync(dirname(settings()), 0o2770);
    expect((await list()).code).to.equal(0);
  });

  it('does not decide where this user is at home: an empty HOME is as if it were not set', async () => {
    const env = {TMPDIR: at(), XDG_CONFIG_HOME: '.config'};
    const words = ['doctor', '--base-url', 'http://127.0.0.1:1'];
    const run = await runChild(words, {env, home: ''});
    expect(run.stdout).to.include(
      ` ${join(userInfo().homedir, '.config', 'connectorctl', 'settings.json')} `,
    );
  });

  const asRoot: (title: string, tests: () => void) => void = isSuperuser ? describe : () => {};
  asRoot('and that is not found but named', () => {
    it('is read whoever owns it, without a warning unless everyone can read it', async () => {
      const named = at('key');
      writeFileSync(named, organizationKey());
      give(named, 65_534);
      for (const [mode, warns] of [
        [0o640, false],
        [0o644, true],
      ] as const) {
        chmodSync(named, mode);
        const words = ['--base-url', service.url, '--api-key-file', named];
        const {code, stderr} = await list(words);
        expect(code, stderr).to.equal(0);
        expect(stderr).to.equal(
          warns
            ? `Warning: every user of this machine can read the API key in ${named}. To prevent that: chmod o= ${named}\n`
            : '',
        );
      }
      chmodSync(at(), 0o700);
      const words = ['--base-url', service.url, '--api-key-file', named];
      expect((await list(words)).stderr, 'in a directory that is closed').to.equal('');
    });

    it('is not written to through a link of another user', async () => {
      const own = at('own');
      writeFileSync(own, 'mine');
      symlinkSync(own, at('report'));
      const words = ['connector', 'check', '--report', `json=${at('report')}`];
      expect((await runChild(words, {home: at()})).code).to.equal(0);
      expect(readFileSync(own, 'utf8')).to.include('"connector check"');
      writeFileSync(own, 'mine');
      service.seen.length = 0;
      give(at('report'));
      const {code, stderr} = await runChild(words, {home: at()});
      expect(code, stderr).to.equal(2);
      expect(stderr).to.include(
        `${at('report')} is not trusted: it belongs to another user (uid 12345)`,
      );
      expect(readFileSync(own, 'utf8')).to.equal('mine');
    });

    for (const words of [
      ['login', '--base-url', 'URL', '--api-key-file', 'KEY'],
      ['profile', 'set', 'q', '--base-url', 'URL'],
    ]) {
      it(`gets no neighbor: ${words[0]} writes nothing into a directory of another user`, async () => {
        writeFileSync(at('key'), organizationKey());
        chmodSync(at(), 0o700);
        mkdirSync(at('home', '.config'), {recursive: true});
        give(at('home', '.config'));
        const values: Readonly<Record<string, string>> = {URL: service.url, KEY: at('key')};
        const argv = words.map((word) => values[word] ?? word);
        const {code, stderr} = await runChild(argv, {home: at('home')});
        expect(code, stderr).to.equal(2);
        expect(stderr).to.include('belongs to another user (uid 12345)');
        expect(readdirSync(at('home', '.config'))).to.deep.equal([]);
      });
    }

    it('is no store: the default one is not made in a directory of another user', async () => {
      mkdirSync(at('.local'));
      give(at('.local'));
      for (const argv of [
        ['serve', '--port', '0'],
        ['key', 'list'],
      ]) {
        const {code, stderr} = await runChild(argv, {home: at()});
        expect(code, stderr).to.equal(2);
        expect(stderr).to.include('.local is not trusted: it belongs to another user (uid 12345).');
      }
      expect(existsSync(at('.local', 'share'))).to.equal(false);
    });
  });
});

import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {expect} from 'chai';
import fc from 'fast-check';
import {CodeCache, userCacheDirectory} from '../../../scripts/bundle/code-cache.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const data = Buffer.from(Array.from({length: 1000}, (_, index) => index % 251));

describe('the code cache', () => {
  const path = temporaryDirectory();
  const directory = () => path('cache', 'connectorctl', 'compiled');
  const open = () => new CodeCache(path('cache'));
  const filled = () => {
    const cache = open();
    cache.save('a', () => data);
    return cache;
  };

  it('loads what was saved, from files that only their owner can read', () => {
    expect(filled().load('a')).to.deep.equal(data);
    expect(statSync(directory()).mode & 0o777).to.equal(0o700);
    expect(statSync(`${directory()}/a`).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory())).to.deep.equal(['a']);
  });

  it('rejects a file with any byte changed', () => {
    const cache = filled();
    const whole = readFileSync(`${directory()}/a`);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({min: 1, max: 255}), (at, change) => {
        const damaged = Buffer.from(whole);
        damaged.writeUInt8(damaged.readUInt8(at) ^ change, at);
        writeFileSync(`${directory()}/a`, damaged);
        expect(cache.load('a')).to.equal(undefined);
      }),
    );
  });

  it('rejects a file that is truncated at any byte', () => {
    const cache = filled();
    for (let length = statSync(`${directory()}/a`).size - 1; length >= 0; length -= 1) {
      truncateSync(`${directory()}/a`, length);
      expect(cache.load('a'), `${length} bytes`).to.equal(undefined);
    }
  });

  it('rejects a file or directory that others can write', () => {
    const cache = filled();
    for (const [name, mode, closed] of [
      [`${directory()}/a`, 0o620, 0o600],
      [`${directory()}/a`, 0o602, 0o600],
      [directory(), 0o770, 0o700],
      [directory(), 0o707, 0o700],
    ] as const) {
      chmodSync(name, mode);
      expect(cache.load('a'), mode.toString(8)).to.equal(undefined);
      chmodSync(name, closed);
      expect(cache.load('a')).to.deep.equal(data);
    }
  });

  it('follows no symbolic link', () => {
    const cache = filled();
    symlinkSync(`${directory()}/a`, `${directory()}/link`);
    expect(cache.load('link')).to.equal(undefined);
    mkdirSync(path('base', 'connectorctl'), {recursive: true});
    symlinkSync(directory(), path('base', 'connectorctl', 'compiled'));
    expect(new CodeCache(path('base')).load('a')).to.equal(undefined);
  });

  describe('of another user', () => {
    const own = process.geteuid ?? (() => 0);
    afterEach(() => {
      process.geteuid = own;
    });
    /** Root's files are trusted by everyone. */
    const giveToAnother = (path: string) => {
      if (own() === 0) chownSync(path, 12_345, 12_345);
      else process.geteuid = () => own() + 1;
    };

    it('is neither read nor changed', () => {
      const cache = filled();
      giveToAnother(directory());
      expect(cache.load('a')).to.equal(undefined);
      cache.save('b', () => expect.fail('made data for a cache that is not ours'));
      expect(readdirSync(directory())).to.deep.equal(['a']);
    });
  });

  it('is not used when it cannot be written, and causes no error', () => {
    writeFileSync(path('cache'), 'a file');
    open().save('a', () => expect.fail('made data that cannot be written'));
    expect(open().load('a')).to.equal(undefined);
  });

  it('deletes files older than a month when it saves', () => {
    const cache = filled();
    copyFileSync(`${directory()}/a`, `${directory()}/old`);
    linkSync(`${directory()}/a`, `${directory()}/young`);
    const month = 31 * 24 * 60 * 60;
    const now = Date.now() / 1000;
    utimesSync(`${directory()}/old`, now - month, now - month);
    cache.save('b', () => data);
    expect(readdirSync(directory()).sort()).to.deep.equal(['a', 'b', 'young']);
  });
});

describe("the directory of a user's caches", () => {
  const cases: [string, NodeJS.Platform, Record<string, string>, string | undefined][] = [
    ['is ~/.cache', 'linux', {HOME: '/home/a'}, '/home/a/.cache'],
    [
      'ignores a relative XDG_CACHE_HOME',
      'linux',
      {HOME: '/home/a', XDG_CACHE_HOME: 'c'},
      '/home/a/.cache',
    ],
    ['is ~/Library/Caches on macOS', 'darwin', {HOME: '/Users/a'}, '/Users/a/Library/Caches'],
    ['is undefined without HOME', 'linux', {}, undefined],
  ];
  for (const [name, platform, env, expected] of cases) {
    it(name, () => expect(userCacheDirectory(env, platform)).to.equal(expected));
  }
});

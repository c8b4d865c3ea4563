import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {expect} from 'chai';
import {Journal} from '../../../../src/cli/activation/fleet/journal.js';
import {AppError} from '../../../../src/errors.js';
import {temporaryDirectory} from '../../../support/temporary-directory.js';

describe('the journal of connector activate --from', () => {
  const at = temporaryDirectory();
  const reservation = (name: string) => ({
    base_url: 'http://127.0.0.1:1',
    name,
    token_hash: 'hash',
    idempotency_key: `key-of-${name}`,
    token: `act_${name}`,
  });
  const content = (name: string) => Buffer.from(`{"name": "${name}"}\n`);
  const open = () => new Journal(at('journal'));
  const entries = () => {
    const journal = open();
    journal.close();
    return [...journal.entries];
  };

  it('keeps after a kill what was started and not settled, and the last entry of each file', async () => {
    const journal = open();
    journal.enter();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => journal.begin(name, reservation(name))));
    journal.settle('b');
    await journal.begin('c', reservation('later'));
    await journal.finish('d', content('d'));
    journal.place('d');
    journal.close();
    expect(entries()).to.deep.equal([
      ['a', {reservation: reservation('a')}],
      ['c', {reservation: reservation('later')}],
      ['d', {content: content('d')}],
    ]);
  });

  it('ignores a line of which a power failure kept a part, and reads the line after it', async () => {
    const journal = open();
    journal.enter();
    await journal.finish('a', content('a'));
    const start = readFileSync(at('journal'), 'utf8').trimEnd().length;
    await journal.finish('b', content('b'));
    await journal.finish('c', content('c'));
    const file = openSync(at('journal'), 'r+');
    // What the room holds before the line does, in the middle of the base64.
    writeSync(file, '\n\n\n\n', start + 30);
    closeSync(file);
    journal.close();
    expect(entries()).to.deep.equal([
      ['a', {content: content('a')}],
      ['c', {content: content('c')}],
    ]);
  });

  it('reads a line that is shorter than the one before, which did not fit on the disk', async () => {
    const journal = open();
    await journal.begin('a', reservation('a'));
    writeSync(openSync(at('journal'), 'r+'), `\n${'x'.repeat(999)}`, statSync(at('journal')).size);
    await journal.begin('b', reservation('b'));
    journal.close();
    expect(entries().map(([file]) => file)).to.deep.equal(['a', 'b']);
  });

  it('takes room before a row begins, and leaves it to the files on a full disk', async () => {
    const journal = open();
    journal.enter();
    journal.enter();
    const taken = statSync(at('journal')).size;
    expect(taken).to.be.at.least(2 * 16 * 1024);
    await journal.begin('a', reservation('a'));
    expect(statSync(at('journal')).size).to.equal(taken);
    journal.yieldRoom();
    const left = statSync(at('journal')).size;
    expect(left).to.be.within(2 * 8 * 1024, 2 * 8 * 1024 + 1024);
    await journal.finish('a', content('a'));
    expect(statSync(at('journal')).size).to.equal(left);
    journal.close();
    expect(entries()).to.deep.equal([['a', {content: content('a')}]]);
  });

  it('is empty once it is cleared', async () => {
    const journal = open();
    await journal.begin('a', reservation('a'));
    await journal.finish('b', content('b'));
    journal.place('b');
    expect(journal.placed).to.deep.equal(['b']);
    journal.clear();
    expect(journal.placed).to.deep.equal([]);
    expect(readFileSync(at('journal'), 'utf8')).to.equal('');
    await journal.begin('b', reservation('b'));
    journal.close();
    expect(entries().map(([file]) => file)).to.deep.equal(['b']);
  });

  it('waits for the rows in progress before it is idle', async () => {
    const journal = open();
    let isIdle = false;
    journal.enter();
    journal.enter();
    const idle = journal.idle().then(() => {
      isIdle = true;
    });
    journal.leave();
    await Promise.resolve();
    expect(isIdle).to.equal(false);
    journal.leave();
    await idle;
    journal.close();
  });

  it('is readable only by its owner', () => {
    const journal = open();
    journal.close();
    const file = openSync(at('journal'), 'r');
    expect(fstatSync(file).mode & 0o777).to.equal(0o600);
    closeSync(file);
  });

  it('ignores lines about files that are not plain names in its directory', () => {
    const names = ['../outside', '/tmp/outside', 'a/b', 'a\\b', '.hidden', '..', '', 'a\0'];
    const lines = names.map((file) => JSON.stringify({file, content: 'cHduZWQK'}));
    writeFileSync(at('journal'), lines.join('\n'), {mode: 0o600});
    expect(entries()).to.deep.equal([]);
  });

  const foreign: Readonly<Record<string, (path: string) => void>> = {
    'a named pipe': (path) => execFileSync('mkfifo', ['-m', '600', path]),
    'a directory': (path) => mkdirSync(path),
    'a symbolic link': (path) => symlinkSync(at('elsewhere'), path),
    'a file that others can write': (path) => {
      writeFileSync(path, '');
      chmodSync(path, 0o622);
    },
  };

  for (const [what, make] of Object.entries(foreign)) {
    it(`does not use ${what} in its place`, () => {
      make(at('journal'));
      expect(open).to.throw(AppError, 'is not a file that only you can read and write');
      expect(existsSync(at('elsewhere'))).to.equal(false);
    });
  }
});

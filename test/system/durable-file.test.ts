import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {expect} from 'chai';
import fc from 'fast-check';
import {type Files, nodeFiles, writeDurably, writeUserFile} from '../../src/system/durable-file.js';
import {SimulatedDisk} from '../support/json-file/simulated-disk.js';
import {systemError, watchedFiles} from '../support/json-file/watched-files.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const old = 'old '.repeat(300);
const fresh = 'new '.repeat(500);
const path = '/disk/file';

const codeOf = (promise: Promise<void>) =>
  promise.then(
    () => 'done',
    (error: {code: string}) => error.code,
  );

describe('a durable file after a power failure', () => {
  /** Writes that must leave the old content or the new one, and the new one once they resolve. */
  const writes: Readonly<Record<string, {before: object; write: (files: Files) => Promise<void>}>> =
    {
      'that replaces another': {
        before: {file: old},
        write: (files) => writeDurably(files, path, fresh),
      },
      'that replaces another through a fixed draft': {
        before: {file: old, 'file.draft': 'left by a kill'},
        write: (files) => writeDurably(files, path, fresh, {draft: `${path}.draft`}),
      },
      'that is new': {before: {}, write: (files) => writeDurably(files, path, fresh)},
    };

  const diskWith = (before: object) => {
    let disk = new SimulatedDisk('/disk');
    for (const [name, text] of Object.entries(before)) disk = disk.with(name, Buffer.from(text));
    return disk;
  };

  for (const [what, {before, write}] of Object.entries(writes)) {
    it(`${what} is the old one or the new one`, async () => {
      const rehearsal = diskWith(before);
      await write(rehearsal.files);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({min: 1, max: rehearsal.calls + 1}),
          fc.infiniteStream(fc.double({min: 0, max: 0.999, noNaN: true})),
          async (call, numbers) => {
            const disk = diskWith(before);
            disk.failAt(call, () => numbers.next().value);
            const isDone = await write(disk.files).then(
              () => true,
              () => false,
            );
            const left = await disk
              .restart()
              .files.readFile(path, 'utf8')
              .catch(() => undefined);
            const allowed = isDone ? [fresh] : [fresh, 'file' in before ? old : undefined];
            expect(allowed).to.include(left);
          },
        ),
        {numRuns: 60},
      );
    });
  }
});

describe('a durable write', () => {
  const at = temporaryDirectory();
  const file = () => at('file');
  const mode = () => statSync(file()).mode & 0o777;

  it('creates files that only their owner can access, with any umask', async () => {
    const before = process.umask(0);
    try {
      await writeDurably(nodeFiles, file(), fresh);
    } finally {
      process.umask(before);
    }
    expect(mode()).to.equal(0o600);
    expect(readdirSync(at())).to.deep.equal(['file']);
  });

  it('follows a link neither at the path nor at the draft', async () => {
    writeFileSync(at('victim'), old);
    symlinkSync(at('victim'), file());
    symlinkSync(at('victim'), at('draft'));
    await writeDurably(nodeFiles, file(), fresh, {draft: at('draft')});
    expect(readFileSync(at('victim'), 'utf8')).to.equal(old);
    expect(lstatSync(file()).isSymbolicLink()).to.equal(false);
    expect(readFileSync(file(), 'utf8')).to.equal(fresh);
  });

  it('leaves the old file and no other one on a full disk', async () => {
    writeFileSync(file(), old);
    for (const full of ['open', 'handle.writeFile', 'handle.sync', 'rename']) {
      const files = watchedFiles(({name}) => {
        if (name === full) throw systemError('ENOSPC');
      });
      expect(await codeOf(writeDurably(files, file(), fresh))).to.equal('ENOSPC');
      expect(readFileSync(file(), 'utf8')).to.equal(old);
      expect(readdirSync(at())).to.deep.equal(['file']);
    }
  });

  describe('to a file of the user', () => {
    it('keeps its link, its mode and its owner', async () => {
      writeFileSync(at('real'), old);
      chmodSync(at('real'), 0o666);
      symlinkSync(at('real'), file());
      const owners: (readonly unknown[])[] = [];
      const files = watchedFiles(({name, args}) => {
        if (name === 'handle.chown') owners.push(args);
      });
      const {uid, gid} = statSync(at('real'));
      await writeUserFile(files, file(), fresh);
      expect(lstatSync(file()).isSymbolicLink()).to.equal(true);
      expect(readFileSync(at('real'), 'utf8')).to.equal(fresh);
      expect(mode()).to.equal(0o666);
      expect(owners).to.deep.equal([[uid, gid]]);
    });

    it('gives it the mode that is asked for, and a new file that of the umask', async () => {
      const before = process.umask(0o027);
      try {
        await writeUserFile(nodeFiles, file(), old);
        expect(mode()).to.equal(0o640);
        await writeUserFile(nodeFiles, file(), fresh, {mode: 0o600});
      } finally {
        process.umask(before);
      }
      expect(mode()).to.equal(0o600);
      expect(existsSync(file())).to.equal(true);
    });
  });
});

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
import {
  moveIntoPlace,
  syncDirectory,
  writeDurably,
  writeUserFile,
} from '../../src/system/durable-file.js';
import {type Files, nodeFiles} from '../../src/system/files.js';
import {SimulatedDisk} from '../support/json-file/simulated-disk.js';
import {systemError, watchedFiles} from '../support/json-file/watched-files.js';
import {temporaryDirectory} from '../support/temporary-directory.js';

const old = 'old '.repeat(300);
const fresh = 'new '.repeat(500);
const path = '/disk/file';

/** File calls of a file system without hard links. */
const withoutLinks = watchedFiles(({name}) => {
  if (name === 'link') throw systemError('EPERM');
});

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
      'that must not replace another': {
        before: {},
        write: (files) => writeDurably(files, path, fresh, {exclusive: true}),
      },
      'that moves to its place': {
        before: {pending: fresh},
        write: async (files) => {
          await moveIntoPlace(files, '/disk/pending', path, true);
          await syncDirectory(files, '/disk');
        },
      },
    };

  const diskWith = (before: object) => {
    let disk = new SimulatedDisk('/disk');
    for (const [name, text] of Object.entries(before)) disk = disk.with(name, Buffer.from(text));
    return disk;
  };

  for (const [what, {before, write}] of Object.entries(writes)) {
    for (const hasLinks of [true, false]) {
      it(`${what} is the old one or the new one ${hasLinks ? '' : '(without hard links)'}`, async () => {
        const filesOf = (disk: SimulatedDisk): Files =>
          hasLinks ? disk.files : {...disk.files, link: withoutLinks.link};
        const rehearsal = diskWith(before);
        await write(filesOf(rehearsal));
        await fc.assert(
          fc.asyncProperty(
            fc.integer({min: 1, max: rehearsal.calls + 1}),
            fc.infiniteStream(fc.double({min: 0, max: 0.999, noNaN: true})),
            async (call, numbers) => {
              const disk = diskWith(before);
              disk.failAt(call, () => numbers.next().value);
              const isDone = await write(filesOf(disk)).then(
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

  for (const [where, files] of [
    ['a file system with hard links', nodeFiles],
    ['a file system without hard links', withoutLinks],
  ] as const) {
    it(`that is exclusive replaces nothing on ${where}, not even a link that leads nowhere`, async () => {
      await writeDurably(files, file(), fresh, {exclusive: true});
      expect(await codeOf(writeDurably(files, file(), old, {exclusive: true}))).to.equal('EEXIST');
      expect(readFileSync(file(), 'utf8')).to.equal(fresh);
      symlinkSync(at('nowhere'), at('link'));
      expect(await codeOf(writeDurably(files, at('link'), old, {exclusive: true}))).to.equal(
        'EEXIST',
      );
      expect(await codeOf(moveIntoPlace(files, file(), at('link'), true))).to.equal('EEXIST');
      expect(readdirSync(at()).sort()).to.deep.equal(['file', 'link']);
      await moveIntoPlace(files, file(), at('moved'), true);
      expect(readdirSync(at()).sort()).to.deep.equal(['link', 'moved']);
    });
  }

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

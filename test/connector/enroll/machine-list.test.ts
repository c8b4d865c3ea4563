import {writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {readMachineList} from '../../../src/connector/enroll/machine-list.js';
import {AppError} from '../../../src/errors.js';
import {failure} from '../../support/client.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {activationToken} from '../../support/values/secrets.js';

describe('a list of machines', () => {
  const at = temporaryDirectory();

  const read = (text: string) => {
    writeFileSync(at('list.csv'), text);
    return readMachineList(at('list.csv'));
  };
  const problemsOf = async (text: string) => {
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError).with.property('kind', 'usage');
    expect((error as AppError).hint).to.match(/^Correct the file, .* --dry-run checks it and /);
    return (error as AppError).message.split('\n').slice(1);
  };

  it('leaves out lines that begin with #, unless the name is quoted', async () => {
    const machines = await read(
      '# ours\n\nname,rack\n  # rack 12, "old\nweb-1,#1\n"#2",# no\nweb#3,\n#web-4,\n',
    );
    expect(machines.map(({line, name}) => [line, name])).to.deep.equal([
      [5, 'web-1'],
      [6, '#2'],
      [7, 'web#3'],
    ]);
  });

  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['with an empty name', 'name,x\n,1\n', /^line 2: the name is empty$/],
    ['with a long name', `name,file\n${'x'.repeat(129)},a\n`, / 129 characters; 128 are allowed$/],
    ['with a long file', `name,file\na,${'x'.repeat(216)}\n`, /" is longer than 215 bytes$/],
    ['with a name twice', 'name\na\nb\na\n', /^line 4: the name "a" is on line 2 already$/],
    ['with a file twice', 'name,file\na,x\nb,X\n', /^line 3: .*"X" is that of line 2 already$/],
    ['with a path', 'name,file\na,../x\n', / leaves the directory, or names one below it$/],
    ['with an absolute path', 'name,file\na,/etc/x\n', /^line 2: the file "\/etc\/x" leaves/],
    ['with a path in the name', 'name\na/b\n', /; give another in the column `file`$/],
    ['with the parent directory', 'name,file\na,..\n', /^line 2: the file ".." is hidden$/],
    ['with our own suffix', 'name,file\na,b.pending\n', / a suffix that connectorctl reserves$/],
    ['with that of a lock', 'name,file\na,b.lock\n', /" has a suffix that connectorctl reserves$/],
    ['with a control character', 'name\na\u001b[31m\n', / control characters or line breaks$/],
    [
      'with a token as a name',
      `name,file\n${activationToken()},a\n`,
      /^line 2: the name is an activation token/,
    ],
  ];
  for (const [what, text, problem] of cases) {
    it(`is refused ${what}`, async () => {
      const problems = await problemsOf(text);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(problem);
    });
  }

  for (const [what, text, reason] of [
    ['without a column name', 'host\na\n', 'its header needs one column name'],
    ['that is empty', '\n', 'its header needs one column name'],
    ['with a column twice', 'name,Name\na,b\n', 'its header needs one column name'],
    [
      'with a row of more cells than the header',
      'name,rack\n\na,b,c\n',
      'line 3 has more cells than',
    ],
    ['with semicolons below one column', 'name\na\nweb-1;rack-7\n', 'line 3 has ";" in its name'],
    ['with a tab below one column', 'name\nweb-1\track-7\n', 'line 2 has "\\t" in its name'],
    ['with semicolons below commas', 'name,rack\nweb-1;a1\n', 'line 2 has ";" in its name'],
    ['with commas below semicolons', 'name;rack\nweb-1,a1\n', 'line 2 has "," in its name'],
  ] as const) {
    it(`is refused with one reason: ${what}`, async () => {
      const {message, hint} = await failure(() => read(text));
      expect(message)
        .to.include(`list.csv as CSV: ${reason}`)
        .and.match(/^Cannot read .*(column name|in quotes); nothing was sent\.$/);
      expect(hint).to.match(/^Write CSV: .* name,file, .*; from Ansible: .* unique\[\]\)'\.$/);
    });
  }

  it('may have rows without a value, rows without their last cells, and columns that are ignored', async () => {
    const text =
      '\ufeffNAME;rack;file\r\n" web-1 ";a,1;\r\nweb-2\r\n;;\r\n;;;;\r\nweb-3;b;x.json;\r\n';
    expect(await read(text)).to.deep.equal([
      {line: 2, name: 'web-1', file: 'web-1.json'},
      {line: 3, name: 'web-2', file: 'web-2.json'},
      {line: 6, name: 'web-3', file: 'x.json'},
    ]);
  });

  it('may have names of 128 characters and files of 215 bytes', async () => {
    const [name, file] = ['\u{1f600}'.repeat(128), 'y'.repeat(215)];
    expect(await read(`name,file\nA,a\nfile a,c\n${name},${file}\n`)).to.deep.equal([
      {line: 2, name: 'A', file: 'a'},
      {line: 3, name: 'file a', file: 'c'},
      {line: 4, name, file},
    ]);
  });

  it('has the names without the apostrophe that keeps a spreadsheet from evaluating them', async () => {
    const machines = await read("name\n'=1\n''=2\n'a'\n");
    expect(machines.map(({name}) => name)).to.deep.equal(['=1', "'=2", "'a'"]);
  });

  it('is refused with the first fifty of its problems, and their number', async () => {
    const problems = await problemsOf(`name\n${'a/b\n'.repeat(100_000)}`);
    expect(problems).to.have.length(51);
    expect(problems.at(-1)).to.equal('… 199,949 more');
  });

  it('is refused in a few words where a cell is as long as a file that is no list', async () => {
    const long = 'x'.repeat(100_000);
    for (const text of [`name\n${long}\n`, `name\n${long}"\n`, `name,file\na,/${long}\n`]) {
      const error = await read(text).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(AppError).with.property('kind', 'usage');
      expect((error as AppError).message)
        .to.match(/line 2/)
        .and.have.length.below(1000);
    }
  });

  it('is refused with all of its problems, in the order of their lines', async () => {
    const problems = await problemsOf('name,file\n,x\na,../y\na,z\nb,z\n');
    expect(problems.map((problem) => problem.split(':')[0])).to.deep.equal([
      'line 2',
      'line 3',
      'line 4',
      'line 5',
    ]);
  });
});

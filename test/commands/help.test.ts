import {expect} from 'chai';
import {runCommand} from '../support/run-command.js';

describe('the flag -h', () => {
  for (const argv of [
    [],
    ['connector'],
    ['connector', 'list'],
    ['connector', 'get', 'con_1'],
    ['connector', 'list', '--status', 'online'],
  ]) {
    it(`shows the same help as --help: connectorctl ${[...argv, '-h'].join(' ')}`, async () => {
      const help = await runCommand([...argv, '--help'], {});
      expect(help).to.deep.include({code: 0, stderr: ''});
      expect(help.stdout).to.include('USAGE');
      expect(await runCommand([...argv, '-h'], {})).to.deep.equal(help);
    });
  }

  it('is an ordinary argument after --', async () => {
    const run = await runCommand(
      ['connector', 'get', '--base-url', 'http://[::1]:9', '--', '-h'],
      {},
    );
    expect(run.stdout).to.equal('');
    expect(run.code).not.to.equal(0);
  });
});

describe('the command help', () => {
  it('suggests the command for a mistyped one', async () => {
    for (const [words, line] of [
      [['conector', 'list'], 'connector list'],
      [['connector', 'lst'], 'connector list'],
      [['doctr'], 'doctor'],
    ] as const) {
      const {code, stderr} = await runCommand(['help', ...words], {});
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        `Error: No such command: ${words.join(' ')}\n  Did you mean: connectorctl ${line}\n`,
      );
    }
  });

  it('suggests a command of a mistyped topic', async () => {
    const {stderr} = await runCommand(['help', 'conector'], {});
    expect(stderr).to.include('Did you mean: connectorctl connector');
  });

  it('shows the help of an alias, but lists none', async () => {
    expect((await runCommand(['connector', 'ls', '--help'], {})).stdout).to.include(
      'List connectors',
    );
    expect((await runCommand(['connector', '--help'], {})).stdout).not.to.match(/connector ls/);
  });
});

describe('the help of a command', () => {
  const helpOf = async (line: string, env: Readonly<Record<string, string>> = {}) => {
    const {code, stdout} = await runCommand([...line.split(' '), '--help'], env);
    expect(code).to.equal(0);
    return stdout;
  };
  const usageOf = (text: string) => /USAGE\n(.*?)\n\n/s.exec(text)?.[1] ?? '';

  for (const line of ['serve', 'connector list', 'token create', 'conformance']) {
    it(`breaks no line of the usage within a flag, and has no blank before a bracket: ${line}`, async () => {
      for (const COLUMNS of ['80', '120']) {
        const usage = usageOf(await helpOf(line, {COLUMNS}));
        expect(usage).to.include('--json').and.not.match(/ \]/);
        for (const row of usage.split('\n')) {
          expect(row.split('[').length, row).to.equal(row.split(']').length);
        }
      }
    });
  }

  it('has the width of COLUMNS in a pipe, and 80 without it', async () => {
    const widest = async (env: Readonly<Record<string, string>>) => {
      const [text = ''] = (await helpOf('serve', env)).split('EXAMPLES');
      return Math.max(...text.split('\n').map((row) => row.length));
    };
    expect(await widest({COLUMNS: '60'})).to.be.within(50, 60);
    expect(await widest({})).to.be.within(61, 80);
    expect(await widest({COLUMNS: '100'})).to.be.within(81, 100);
  });

  it('shows the summary once, also through the command help', async () => {
    const text = await helpOf('serve');
    expect(text.split('Run the reference service')).to.have.length(2);
    expect((await runCommand(['help', 'serve'], {})).stdout).to.equal(text);
  });
});

describe('the help topics', () => {
  for (const [topic, line] of [
    ['exit-codes', '9    Carried out, with a negative result'],
    ['environment', 'CONNECTORCTL_RETRIES\n    --retries: how often to retry'],
    ['statuses', 'stale    its last heartbeat is more than 120 and at most 600 seconds old'],
  ] as const) {
    it(`are shown by the command help, and named by the root help: ${topic}`, async () => {
      const {code, stdout, stderr} = await runCommand(['help', topic], {});
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
      expect(stdout).to.include(line);
      expect((await runCommand(['--help'], {})).stdout).to.include(`help ${topic}`);
    });
  }
});

describe('the root help', () => {
  it('has three examples and says where the documents are', async () => {
    const {stdout} = await runCommand(['--help'], {});
    const [, examples = ''] = /EXAMPLES\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    expect(examples.match(/^ {2}\$ connectorctl /gm)).to.have.length(3);
    expect(stdout).to.match(/\nDOCUMENTS\n {2}\S/);
  });
});

describe('the help of a command with exit codes of its own', () => {
  for (const [line, row] of [
    ['connector check', '9       a rule or the inventory does not hold'],
    ['connector run', '127      COMMAND does not exist'],
    ['connector get', '6  with --wait: the connector did not get the status in time'],
  ] as const) {
    it(`lists them: ${line}`, async () => {
      const {stdout} = await runCommand([...line.split(' '), '--help'], {});
      expect(/EXIT CODES\n([\s\S]*?)\n\n/.exec(stdout)?.[1]).to.include(row);
    });
  }

  it('shows the statuses in the help of connector list', async () => {
    const {stdout} = await runCommand(['connector', 'list', '--help'], {});
    expect(stdout).to.match(/STATUSES\n {2}never .*\n {2}online .*120 seconds/);
  });
});

describe('the flag -V', () => {
  it('shows the version, as --version does', async () => {
    const version = await runCommand(['--version'], {});
    expect(version.code).to.equal(0);
    expect(await runCommand(['-V'], {})).to.deep.equal(version);
  });
});

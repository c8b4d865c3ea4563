import {expect} from 'chai';
import {runCommand} from '../support/command/run-command.js';

describe('the flag -h', () => {
  it('shows the same help as --help', async () => {
    const help = await runCommand(['connector', 'get', 'con_1', '--help'], {});
    expect(help).to.deep.include({code: 0, stderr: ''});
    expect(help.stdout).to.include('USAGE');
    expect(await runCommand(['connector', 'get', 'con_1', '-h'], {})).to.deep.equal(help);
  });

  it('shows the first commands alone, and where to read on', async () => {
    const {stdout} = await runCommand(['-h'], {COLUMNS: '200'});
    expect(stdout.match(/(?<=^ {2}\$ connectorctl )[a-z].*$/gm)).to.deep.equal([
      'login',
      'connector activate --name web-1 --credentials-file web-1.json',
      'connector run --credentials-file web-1.json',
    ]);
    expect(stdout).to.match(/\nDOCUMENTS\n {2}man connectorctl has all commands\.\n$/);
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
});

describe('the help of a command', () => {
  const helpOf = async (line: string, env: Readonly<Record<string, string>> = {}) => {
    const {code, stdout} = await runCommand([...line.split(' '), '--help'], env);
    expect(code).to.equal(0);
    return stdout;
  };

  it('has a usage of one line, with [FLAGS] for the flags', async () => {
    for (const [line, usage] of [
      ['connector list', 'connector list [FLAGS]'],
      ['connector run', 'connector run [ID] [FLAGS] [-- COMMAND [ARG]...]'],
    ] as const) {
      expect(await helpOf(line)).to.include(`USAGE\n  $ connectorctl ${usage}\n\n`);
    }
  });

  it('has the width of COLUMNS in a pipe, and 80 without it', async () => {
    const widest = async (env: Readonly<Record<string, string>>) => {
      const [text = ''] = (await helpOf('serve', env)).split('EXAMPLES');
      return Math.max(...text.split('\n').map((row) => row.length));
    };
    expect(await widest({COLUMNS: '60'})).to.be.within(50, 60);
    expect(await widest({})).to.be.within(61, 80);
    expect(await widest({COLUMNS: '100'})).to.be.within(81, 100);
  });
});

describe('the variables of a proxy and of certificates', () => {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];

  for (const line of ['', 'doctor'])
    it(`are in the help of connectorctl ${line}`.trimEnd(), async () => {
      const words = `${line} --help`.trim().split(' ');
      const {code, stdout} = await runCommand(words, {});
      expect(code).to.equal(0);
      for (const name of names) expect(stdout).to.include(name);
    });
});

describe('the flag -V', () => {
  it('shows the version, as --version does', async () => {
    const version = await runCommand(['--version'], {});
    expect(version.code).to.equal(0);
    expect(await runCommand(['-V'], {})).to.deep.equal(version);
  });
});

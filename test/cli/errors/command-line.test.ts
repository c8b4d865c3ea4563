import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Interfaces} from '@oclif/core';
import {expect} from 'chai';
import type {CommandLine} from '../../../src/cli/errors/command-line.js';
import {ProcessIo} from '../../../src/cli/process/io.js';
import {formatSecret} from '../../../src/domain/secret.js';
import {runCommand} from '../../support/command/run-command.js';
import {root} from '../../support/sources.js';

const secret = formatSecret('activationToken', new Uint8Array(32).fill(3));

/** An invalid command line, the error message, and the hint. */
type Mistake = readonly [line: string, message: string, hint: string];

const help = (command: string) => `See: connectorctl${command} --help`;

const mistakes: readonly Mistake[] = [
  ['nope', 'No such command: nope', help('')],
  ['sevre', 'No such command: sevre', 'Did you mean: connectorctl serve'],
  ['conector list', 'No such command: conector list', 'Did you mean: connectorctl connector list'],
  // The only command with this last word.
  ['advance', 'No such command: advance', 'Did you mean: connectorctl sandbox advance'],
  // Far from every command: no guess.
  ['install', 'No such command: install', help('')],
  ['connector lst', 'No such command: connector lst', 'Did you mean: connectorctl connector list'],
  ['connector frobnicate', 'No such command: connector frobnicate', help(' connector')],
  ['--json', 'Flags must follow the command.', 'Write: connectorctl COMMAND [FLAGS]'],
  ['login 24-characters-that-stay', 'Unexpected argument: 24-characters-that-stay', help(' login')],
  // May be a secret of another service.
  ['whoami a-word-of-25-characters-x', 'Unexpected argument: a-word-of-25…', help(' whoami')],
  [
    `connector activate ${secret}`,
    'Unexpected argument: act_…',
    'Did you mean: connectorctl connector activate --token-file PATH',
  ],
  ['connector enroll --token x', 'No such flag: --token', help(' connector enroll')],
  ['connector enroll web-9', 'Missing required flag --credentials-dir', help(' connector enroll')],
  ['profile use one two', 'Unexpected argument: two', help(' profile use')],
  [
    'connector get',
    'Missing argument: ID, id of the connector.',
    'Write: connectorctl connector get ID',
  ],
  [
    'store copy ./store',
    'Missing argument: TO, target: a new directory, or the postgres://… of an empty database.',
    'Write: connectorctl store copy FROM TO',
  ],
  [
    'connector list --jso',
    'No such flag: --jso',
    `Did you mean --json? ${help(' connector list')}`,
  ],
  ['connector list --frobnicate', 'No such flag: --frobnicate', help(' connector list')],
  ['connector list --base-url', 'Flag --base-url expects a value', help(' connector list')],
  [
    'connector list -o xml',
    'Expected --output=xml to be one of: table, wide, json, yaml, csv, id',
    help(' connector list'),
  ],
  [
    'connector list --timeout 10',
    '--timeout "10" is not a duration.',
    'Write a number above zero with its unit, such as 500ms, 10s, 1m30s or 2d.',
  ],
  [
    'connector list --retries 1e3',
    '--retries "1e3" is not valid.',
    'Write a whole number, from 0 to 100.',
  ],
  [
    'connector activate --force',
    'All of the following must be provided when using --force: --credentials-file',
    help(' connector activate'),
  ],
];

/** Invalid environment variables: name, value, message. */
const settings = [
  [
    'CONNECTORCTL_OUTPUT',
    'xml',
    'Expected CONNECTORCTL_OUTPUT=xml to be one of: table, wide, json, yaml, csv, id',
  ],
  ['CONNECTORCTL_TIMEOUT', '10', 'CONNECTORCTL_TIMEOUT "10" is not a duration.'],
  ['CONNECTORCTL_RETRIES', 'x', 'CONNECTORCTL_RETRIES "x" is not valid.'],
] as const;

describe('a usage error', () => {
  it('says that several words in one are no command', async () => {
    const {code, stderr} = await runCommand(['connector list']);
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      "Error: No such command: 'connector list'\n  Did you mean: connectorctl connector list\n",
    );
  });

  for (const [line, message, hint] of mistakes) {
    it(`has a message and a hint for: connectorctl ${line}`, async () => {
      const words = line.split(' ');
      expect(await runCommand(words)).to.deep.equal(
        words.includes('--json')
          ? {code: 2, stdout: json(message, hint), stderr: ''}
          : {code: 2, stdout: '', stderr: `Error: ${message}\n  ${hint}\n`},
      );
      expect(await runCommand([...words, '--json'])).to.deep.equal({
        code: 2,
        stdout: json(message, hint),
        stderr: '',
      });
    });
  }

  for (const [name, value, message] of settings) {
    it(`names the environment variable when the cause is ${name}=${value}`, async () => {
      const run = await runCommand(['connector', 'list'], {[name]: value});
      expect(run).to.deep.include({code: 2, stdout: ''});
      expect(run.stderr.split('\n')[0]).to.equal(`Error: ${message}`);
    });
  }

  it('names the flag when both the flag and the environment variable are set', async () => {
    const {stderr} = await runCommand(['connector', 'list', '--timeout=5'], {
      CONNECTORCTL_TIMEOUT: '6',
    });
    expect(stderr).to.match(/^Error: --timeout "5" is not a duration\.\n {2}Write a number above /);
  });

  it('never repeats an argument that may be a secret', async () => {
    const foreign = 'a-token-of-another-service-0123456789';
    const lines = [
      ['connector', 'activate', secret],
      ['connector', 'activate', foreign],
      ['profile', 'use', 'id', foreign],
      ['connector', 'activate', `--tokn=${foreign}`],
      ['connector', 'activate', '--token', foreign],
      ['connector', 'activate', `--token=${foreign}`],
      [foreign],
      ['--token', foreign, 'connector', 'activate'],
    ];
    for (const line of lines) {
      for (const mode of [[], ['--json']]) {
        const {code, stdout, stderr} = await runCommand([...line, ...mode]);
        expect(code, line.join(' ')).to.equal(2);
        expect(stdout + stderr, line.join(' '))
          .not.to.include(foreign)
          .and.not.include(secret);
      }
    }
  });
});

describe('the mode of the output', () => {
  const {commands}: Interfaces.Manifest = JSON.parse(
    readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
  );

  /** The mode of a command line whose words the parser has refused. */
  function outputMode(words: readonly string[], env: Readonly<Record<string, string>>) {
    const id = words[0] === 'connector' ? `connector:${words[1]}` : words[0];
    const io = new ProcessIo(words, false);
    const flags = commands[id ?? '']?.flags ?? {};
    io.commandLine = {command: '', argv: words, args: [], flags: flags as CommandLine['flags']};
    const before = {...process.env};
    Object.assign(process.env, env);
    try {
      return io.mode;
    } finally {
      process.env = before;
    }
  }

  for (const line of ['--json', '-o json', '-ojson', '--output=json', '-qo json', '-qwojson']) {
    it(`is true with ${line}`, () => {
      const words = ['connector', 'list', ...line.split(' ')];
      expect(outputMode(words, {})).to.equal('json');
      expect(outputMode(words, {CONNECTORCTL_OUTPUT: 'yaml'})).to.equal('json');
    });
  }

  for (const line of ['', '-o yaml', '--output=id', '-o', '-- -o json', 'json', '-no json']) {
    it(`is false with "${line}"`, () => {
      expect(outputMode(['connector', 'list', ...line.split(' ')], {})).to.equal('text');
    });
  }

  it('is that of the variable for an error too', async () => {
    const {stdout, stderr} = await runCommand(['connector', 'list', '--older-than', '0'], {
      CONNECTORCTL_OUTPUT: 'json',
    });
    expect(JSON.parse(stdout).error).to.include({kind: 'usage', exit_code: 2});
    expect(stderr).to.equal('');
  });

  it('is that of the variable for commands that read it, unless a flag overrides it', () => {
    const env = {CONNECTORCTL_OUTPUT: 'json'};
    expect(outputMode(['connector', 'list'], env)).to.equal('json');
    expect(outputMode(['connector', 'list', '-o', 'id'], env)).to.equal('text');
    expect(outputMode(['connector', 'get', 'x'], env)).to.equal('text');
    expect(outputMode(['whoami'], env)).to.equal('text');
  });

  it('knows the letter of each boolean flag', () => {
    for (const {flags} of Object.values(commands)) {
      for (const {name, char, type} of Object.values(flags)) {
        if (char === undefined || !flags['output']) continue;
        const mode = type === 'boolean' ? 'json' : 'text';
        expect(outputMode(['connector', 'list', `-${char}o`, 'json'], {}), name).to.equal(mode);
      }
    }
  });

  it('is JSON when --json contradicts --output, and a plugin only for a check', () => {
    expect(outputMode(['connector', 'list', '--json', '-o', 'id'], {})).to.equal('json');
    expect(outputMode(['connector', 'check', '-o', 'nagios'], {})).to.equal('plugin');
    expect(outputMode(['connector', 'list', '-o', 'nagios'], {})).to.equal('text');
  });

  it('is that of the command that run starts, also with --json', () => {
    const wrapping = ['connector', 'run', '--json', '--', 'true'];
    expect(outputMode(wrapping, {})).to.equal('command');
    expect(outputMode(['connector', 'run', '--json'], {})).to.equal('json');
  });
});

function json(message: string, hint: string): string {
  return `${JSON.stringify({error: {kind: 'usage', exit_code: 2, message, hint}}, null, 2)}\n`;
}

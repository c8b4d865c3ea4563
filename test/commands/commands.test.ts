import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {expect} from 'chai';
import type {CommandCatalog} from '../../src/cli/help/catalog.js';
import {exitCodes} from '../../src/errors.js';
import {runCommand} from '../support/command/run-command.js';
import {root} from '../support/sources.js';

interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly hidden?: boolean;
        readonly args: object;
        readonly flags: Readonly<Record<string, object>>;
      }
    >
  >;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));

describe('commands', () => {
  const catalog = async (): Promise<CommandCatalog> =>
    JSON.parse((await runCommand(['commands', '--json'])).stdout);

  it('lists every command of the manifest except hidden ones, with all flags', async () => {
    const {schema, commands} = await catalog();
    const expected = Object.entries(manifest.commands)
      .filter(([, {hidden}]) => !hidden)
      .map(([id, {flags}]) => [
        id.replaceAll(':', ' '),
        Object.keys(flags).map((name) => `--${name}`),
      ]);
    const listed = new Map(commands.map(({command, flags}) => [command, flags]));
    expect(schema).to.equal(1);
    expect(listed.has('__complete')).to.equal(false);
    for (const [command, flags] of expected) {
      expect(listed.get(String(command))?.map(({name}) => name)).to.deep.equal(flags);
    }
    // The last one is of a plugin.
    expect(listed.size).to.equal(expected.length + 1);
    expect(listed.has('help')).to.equal(true);
  });

  it('gives the part of one command, or of a topic', async () => {
    const part = async (...words: string[]): Promise<CommandCatalog> =>
      JSON.parse((await runCommand(['commands', ...words, '--json'])).stdout);
    const whole = await catalog();
    const {commands, ...rest} = await part('connector', 'list');
    expect(commands).to.deep.equal(
      whole.commands.filter(({command}) => command === 'connector list'),
    );
    expect(rest).to.deep.equal({schema: whole.schema, version: whole.version});
    expect(await part('connector list')).to.deep.equal({...rest, commands});
    expect((await part('key')).commands.map(({command}) => command)).to.deep.equal([
      'key create',
      'key list',
      'key revoke',
    ]);
    const {stdout} = await runCommand(['commands', 'whoami']);
    expect(stdout).to.match(/^whoami .*\n(whoami -.*\n)+$/);
  });

  it('refuses a word that is no command, and names the nearest', async () => {
    const {code, stderr} = await runCommand(['commands', 'conector', 'list']);
    expect(code).to.equal(2);
    expect(stderr).to.equal(
      'Error: No such command: conector list\n  Did you mean: connectorctl connector list\n',
    );
  });

  it('are all strict: an unknown flag is refused before anything else', async () => {
    const ids = Object.keys(manifest.commands).filter((id) => id !== '__complete');
    for (const id of ids) {
      const words = id.split(':');
      const {code, stderr} = await runCommand([...words, '--no-such-flag']);
      expect(code, id).to.equal(exitCodes.usage.code);
      expect(stderr, id).to.include('--no-such-flag');
    }
  });

  it('never read a missing argument from stdin', async () => {
    const ids = Object.entries(manifest.commands)
      .filter(([, {args}]) => Object.keys(args).length > 0)
      .map(([id]) => id);
    expect(ids).to.include('connector:run');
    const own = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    try {
      for (const id of [...ids, 'help']) {
        const stdin = Readable.from(['con_B\n']);
        Object.defineProperty(process, 'stdin', {...own, get: () => stdin});
        const {stdout, stderr} = await runCommand(id.split(':'));
        expect(stdin.readableDidRead, id).to.equal(false);
        expect(stdout + stderr, id).not.to.include('con_B');
      }
    } finally {
      Object.defineProperty(process, 'stdin', own);
    }
  });

  it('describes a flag with its values, its variable and the flags that it excludes', async () => {
    const {commands} = await catalog();
    const flag = (command: string, name: string) =>
      commands.find((one) => one.command === command)?.flags.find((one) => one.name === name);
    expect(flag('connector list', '--output')).to.deep.include({
      short: '-o',
      value: 'FORMAT',
      values: ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id'],
      env: 'CONNECTORCTL_OUTPUT',
    });
    expect(flag('connector check', '--report')).to.include({multiple: true});
    expect(flag('connector check', '--allow-unexpected')).to.deep.include({
      depends_on: ['--expect'],
    });
    expect(flag('store remove', '--all-organizations')).to.deep.include({
      exclusive: ['--organization'],
    });
    expect(flag('serve', '--host')).to.include({default: '127.0.0.1', env: 'CONNECTORCTL_HOST'});
    expect(flag('serve', '--sandbox')).not.to.have.any.keys('value', 'values', 'env');
  });

  it('prints one line per command, argument, flag, variable and exit code', async () => {
    const {commands, environment = [], exit_codes = []} = await catalog();
    const {stdout} = await runCommand(['commands']);
    const lines = stdout.trimEnd().split('\n');
    const inCommands = commands.map(({args, flags}) => 1 + args.length + flags.length);
    const total = inCommands.reduce((sum, count) => sum + count, 0);
    expect(lines).to.have.length(total + environment.length + exit_codes.length);
    expect(lines).to.include(
      'connector get --timeout DURATION                    time limit of one attempt [CONNECTORCTL_TIMEOUT]',
    );
    expect(stdout).to.match(/^exit code 9 {2,}unmet: /m);
  });
});

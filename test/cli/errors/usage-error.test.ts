import {expect} from 'chai';
import {formatSecret} from '../../../src/domain/secret.js';
import {runCommand} from '../../support/run-command.js';

const secret = formatSecret('activationToken', new Uint8Array(32).fill(3));

/** An invalid command line, the error message, and the hint. */
type Mistake = readonly [line: string, message: string, hint: string];

const help = (command: string) => `See: connectorctl${command} --help`;

const mistakes: readonly Mistake[] = [
  ['nope', 'No such command: nope', help('')],
  ['sevre', 'No such command: sevre', 'Did you mean: connectorctl serve'],
  ['conector list', 'No such command: conector list', 'Did you mean: connectorctl connector list'],
  ['activate', 'No such command: activate', 'Did you mean: connectorctl connector activate'],
  [
    'get connectors',
    'No such command: get connectors',
    'Did you mean: connectorctl connector list',
  ],
  ['ls', 'No such command: ls', 'Did you mean: connectorctl connector list'],
  [
    'get connector con_1',
    'No such command: get connector con_1',
    'Did you mean: connectorctl connector get',
  ],
  [
    'describe connector con_1',
    'No such command: describe connector con_1',
    'Did you mean: connectorctl connector get',
  ],
  [
    'connector show con_1',
    'No such command: connector show con_1',
    'Did you mean: connectorctl connector get',
  ],
  ['create token', 'No such command: create token', 'Did you mean: connectorctl token create'],
  ['list keys', 'No such command: list keys', 'Did you mean: connectorctl key list'],
  ['auth login', 'No such command: auth login', 'Did you mean: connectorctl login'],
  ['auth status', 'No such command: auth status', 'Did you mean: connectorctl whoami'],
  ['profile current', 'No such command: profile current', 'Did you mean: connectorctl whoami'],
  ['status', 'No such command: status', 'Did you mean: connectorctl doctor'],
  [
    'config use-context prod',
    'No such command: config use-context prod',
    'Did you mean: connectorctl profile use',
  ],
  ['config view', 'No such command: config view', 'Did you mean: connectorctl profile list'],
  [
    'connector delete con_1',
    'No such command: connector delete con_1',
    'The interface has no operation that removes a connector. On the machine of the reference service, use: connectorctl store remove ID',
  ],
  [
    'token list',
    'No such command: token list',
    'Activation tokens cannot be listed. Create one with: connectorctl token create',
  ],
  ['check', 'No such command: check', 'Did you mean: connectorctl connector check'],
  ['enroll', 'No such command: enroll', 'Did you mean: connectorctl connector enroll'],
  ['init', 'No such command: init', 'Did you mean: connectorctl login'],
  ['exit-codes', 'No such command: exit-codes', 'Did you mean: connectorctl help exit-codes'],
  ['environment', 'No such command: environment', 'Did you mean: connectorctl help environment'],
  ['connector ls extra', 'Unexpected argument: extra', help(' connector list')],
  ['logs', 'No such command: logs', help('')],
  ['connector log', 'No such command: connector log', help(' connector')],
  ['connector lst', 'No such command: connector lst', 'Did you mean: connectorctl connector list'],
  ['start', 'No such command: start', 'Did you mean: connectorctl serve'],
  ['connector frobnicate', 'No such command: connector frobnicate', help(' connector')],
  ['--json', 'Flags must follow the command.', help('')],
  [
    '--base-url http://h connector list -o id',
    'Flags must follow the command.',
    'Write: connectorctl connector list [FLAGS]',
  ],
  ['connector list extra', 'Unexpected argument: extra', help(' connector list')],
  [
    `connector activate ${secret}`,
    'Unexpected argument: act_…',
    'The command asks for the token: connectorctl connector activate. Without a terminal, use --token-file PATH.',
  ],
  [
    'connector activate machines.csv',
    'Unexpected argument: machines.csv',
    `For a list of machines, write: connectorctl connector enroll machines.csv --credentials-dir DIR. ${help(' connector activate')}`,
  ],
  [
    'connector enroll web-9',
    'Missing required flag --credentials-dir',
    `For one machine, write: connectorctl connector activate --name web-9. ${help(' connector enroll')}`,
  ],
  [
    'connector enroll --token x',
    'No such flag: --token',
    `For one machine, use: connectorctl connector activate --name NAME. ${help(' connector enroll')}`,
  ],
  [
    'connector run sleep 1',
    'Unexpected argument: 1',
    `Write a command after --: connectorctl connector run ID -- COMMAND. ${help(' connector run')}`,
  ],
  ['profile use one two', 'Unexpected argument: two', help(' profile use')],
  [
    'connector get',
    'Missing argument: ID, id of the connector.',
    'Write: connectorctl connector get ID',
  ],
  [
    'connector list --jso',
    'No such flag: --jso',
    `Did you mean --json? ${help(' connector list')}`,
  ],
  ['connector list --frobnicate', 'No such flag: --frobnicate', help(' connector list')],
  [
    'connector list -A',
    'No such flag: -A',
    `The list has all connectors of the organization without it. ${help(' connector list')}`,
  ],
  [
    'connector list --selector rack=1',
    'No such flag: --selector',
    `To filter, use --status, --name, or --json with jq. ${help(' connector list')}`,
  ],
  [
    'connector list --format yaml',
    'No such flag: --format',
    `Did you mean --output? ${help(' connector list')}`,
  ],
  [
    'connector list --since 1h',
    'No such flag: --since',
    `Did you mean --newer-than? ${help(' connector list')}`,
  ],
  ['token create --since 1h', 'No such flag: --since', help(' token create')],
  [
    'connector list -o jsonpath={.items}',
    'Expected --output=jsonpath={.items} to be one of: table, wide, json, ndjson, yaml, csv, id',
    `Use --json, and jq after a pipe. ${help(' connector list')}`,
  ],
  [
    'connector list --json id,name',
    'Unexpected argument: id,name',
    `--json takes no fields: use --columns, or jq after a pipe. ${help(' connector list')}`,
  ],
  ['connector list --base-url', 'Flag --base-url expects a value', help(' connector list')],
  [
    'connector list -o xml',
    'Expected --output=xml to be one of: table, wide, json, ndjson, yaml, csv, id',
    help(' connector list'),
  ],
  [
    'connector list --timeout 10',
    '--timeout "10" is not a duration.',
    'Write a number with its unit, such as 500ms, 10s, 1m30s or 2d.',
  ],
  [
    'connector list --retries 1e3',
    '--retries "1e3" is not valid.',
    'Write a whole number, from 0 to 100.',
  ],
  ['connector list --limit 0', '--limit "0" is not valid.', 'Write a whole number, 1 or more.'],
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
    'Expected CONNECTORCTL_OUTPUT=xml to be one of: table, wide, json, ndjson, yaml, csv, id',
  ],
  ['CONNECTORCTL_TIMEOUT', '10', 'CONNECTORCTL_TIMEOUT "10" is not a duration.'],
  ['CONNECTORCTL_TIMEOUT', '-1s', 'CONNECTORCTL_TIMEOUT "-1s" is not a duration.'],
  ['CONNECTORCTL_RETRIES', 'x', 'CONNECTORCTL_RETRIES "x" is not valid.'],
] as const;

describe('a usage error', () => {
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
    expect(stderr).to.include('--timeout "5"').and.not.include('CONNECTORCTL_TIMEOUT');
  });

  it('never repeats an argument that may be a secret', async () => {
    const foreign = 'a-token-of-another-service-0123456789';
    const lines = [
      ['connector', 'activate', secret],
      ['connector', 'activate', foreign],
      ['profile', 'use', 'id', foreign],
      ['connector', 'activate', `--tokn=${foreign}`],
      ['connector', 'activate', '--token', foreign, '--token-file', 'there'],
      ['connector', 'activate', `--token=${foreign}`, '--token-file=there'],
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

function json(message: string, hint: string): string {
  return `${JSON.stringify({error: {kind: 'usage', exit_code: 2, message, hint}}, null, 2)}\n`;
}

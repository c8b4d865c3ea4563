import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {
  argumentSources,
  candidatesText,
  complete,
  foreignCandidate,
  type KnownCommand,
  type Vocabulary,
} from '../../../src/cli/completion/candidates.js';
import {connectorFields} from '../../../src/client/read/connector.js';
import {connectorStatuses} from '../../../src/contract/limits.js';
import {root} from '../../support/sources.js';

const manifest: {readonly commands: Readonly<Record<string, KnownCommand>>} = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);
const vocabulary: Vocabulary = {
  bin: 'connectorctl',
  commands: Object.values(manifest.commands),
  topics: [{name: 'connector', description: 'all about connectors'}],
};

/** The flags before the cursor when completion last requested connectors. */
let given: [string, string][] | undefined;

const sources = {
  profiles: async () => [{value: 'prod', description: 'https://connectors.example'}],
  connectors: async (flags: ReadonlyMap<string, string>) => {
    given = [...flags];
    return [{value: 'con_1', description: 'web (online)'}];
  },
};

const offer = (line: string) => complete(line.split(' ').slice(1), vocabulary, sources);

/** Only the values of the candidates, without descriptions. */
async function words(line: string): Promise<readonly string[] | 'files'> {
  const candidates = await offer(line);
  return candidates === 'files' ? candidates : candidates.map(({value}) => value);
}

describe('completion', () => {
  beforeEach(() => {
    given = undefined;
  });

  it('offers every word of every visible command in the manifest', async () => {
    const shown = vocabulary.commands.filter(({hidden}) => !hidden);
    expect(shown.length).to.equal(vocabulary.commands.length - 1);
    for (const {id} of shown) {
      const path = id.split(':');
      for (const [index, word] of path.entries()) {
        const before = ['connectorctl', ...path.slice(0, index), ''].join(' ');
        expect(await words(before), before).to.include(word);
      }
    }
    expect(await words('connectorctl ')).not.to.include('__complete');
  });

  it('describes topics and commands', async () => {
    expect(await offer('connectorctl con')).to.deep.include({
      value: 'connector',
      description: 'all about connectors',
    });
    expect(await offer('connectorctl connector ')).to.deep.include({
      value: 'get',
      description: 'Show one connector, or several',
    });
  });

  it('offers every flag of a command except those already on the line', async () => {
    const all = await words('connectorctl connector list -');
    expect(all).to.include.members(['--output', '--profile', '--json', '--watch', '--help']);
    expect(all).not.to.include('--version');
    const left = await words('connectorctl connector list -o id --watch --profile=prod --');
    expect(left).not.to.include('--output').and.not.include('--watch').and.not.include('--profile');
    expect(left).to.include('--sort');
    expect(await words('connectorctl connector list --status stale -n a -')).to.include.members([
      '--status',
      '--name',
    ]);
    expect(await words('connectorctl -')).to.deep.equal(['--help', '--version']);
  });

  const cases: [line: string, offered: readonly string[] | 'files'][] = [
    ['connectorctl connector list -o ', ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'id']],
    ['connectorctl connector list --status ', ['never', 'online', 'stale', 'offline', 'revoked']],
    ['connectorctl connector list -s o', ['never', 'online', 'stale', 'offline', 'revoked']],
    [
      'connectorctl connector list --status offline,st',
      connectorStatuses.map((status) => `offline,${status}`),
    ],
    [
      'connectorctl connector list --columns=id,name,',
      connectorFields.map((field) => `--columns=id,name,${field}`),
    ],
    ['connectorctl connector list --profile ', ['prod']],
    ['connectorctl connector get con_2 con_3 ', ['con_1']],
    ['connectorctl connector list --profile=p', ['--profile=prod']],
    ['connectorctl connector list --api-key-file ', 'files'],
    ['connectorctl connector list --api-key-file=', 'files'],
    ['connectorctl connector list --limit ', []],
    ['connectorctl connector list --watch=', []],
    ['connectorctl connector list --no-such=', []],
    ['connectorctl serve --store ', 'files'],
    ['connectorctl connector enroll ', 'files'],
    ['connectorctl store copy a ', 'files'],
    ['connectorctl profile use ', ['prod']],
    ['connectorctl profile remove p', ['prod']],
    ['connectorctl completion ', ['bash', 'zsh', 'fish']],
    ['connectorctl connector get ', ['con_1']],
    ['connectorctl connector run --every 5s c', ['con_1']],
    ['connectorctl connector get --json -- -', ['con_1']],
    ['connectorctl connector run con_1 -- ', 'files'],
    ['connectorctl connector run --every 5s -- ls --l', 'files'],
    ['connectorctl key revoke ', []],
    ['connectorctl help profile u', ['list', 'remove', 'set', 'use']],
    ['connectorctl help connector get ', []],
    ['connectorctl no-such ', []],
    ['connectorctl --json ', []],
  ];
  for (const [line, offered] of cases) {
    it(`offers ${offered === 'files' ? 'files' : offered.join(' ') || 'nothing'} after "${line}"`, async () => {
      expect(await words(line)).to.deep.equal(offered);
    });
  }

  it('offers the fields to sort by, in both directions', async () => {
    expect(await words('connectorctl connector list --sort ')).to.include.members([
      'name',
      '-name',
    ]);
  });

  it('offers flags when the command takes no further argument', async () => {
    expect(await words('connectorctl key revoke key_1 ')).to.include('--reason');
    expect(await words('connectorctl doctor ')).to.include('--profile');
  });

  it('requests connectors with the flags on the line, and only for an argument that is a connector id', async () => {
    await words('connectorctl connector get --profile prod --base-url=http://h/ -o id --json ');
    expect(given).to.deep.equal([
      ['profile', 'prod'],
      ['base-url', 'http://h/'],
      ['output', 'id'],
      ['json', ''],
    ]);
    given = undefined;
    await words('connectorctl connector get -');
    await words('connectorctl key revoke ');
    expect(given).to.equal(undefined);
  });

  it('has argument sources only for arguments that exist in the manifest', () => {
    const known = vocabulary.commands.flatMap(({id, args}) =>
      Object.keys(args).map((name) => `${id.split(':', 1)} ${name}`),
    );
    expect(known).to.include.members(Object.keys(argumentSources));
  });
});

describe('completion candidates from the service', () => {
  it('are offered only if every shell reads them as one plain word', () => {
    for (const id of ['con_01ARZ3', '7', 'a:b', '0f8e-11', 'a@b.example', 'x=1', 'a/b,c+%']) {
      expect(foreignCandidate(id)[0]?.value, id).to.equal(id);
    }
    for (const id of ['', '-rf', '=x', '~', '.', ':files', 'a b', "it's", 'a"b', 'a\\b', '$(x)']) {
      expect(foreignCandidate(id), id).to.deep.equal([]);
    }
    for (const id of ['`x`', 'a;b', 'a&b', 'a|b', 'a>b', 'a*', 'a?', '[a]', '{a,b}', 'a!b', 'a#']) {
      expect(foreignCandidate(id), id).to.deep.equal([]);
    }
    for (const id of ['a\nb', 'a\n', 'a\tb', 'a\x1b[2J', 'a\u202eb', 'a\0']) {
      expect(foreignCandidate(id), JSON.stringify(id)).to.deep.equal([]);
    }
  });

  it('have a description of one line without control characters', () => {
    const [candidate] = foreignCandidate('con_1', ' a\nb\tc\x1b]0;t\x07\u202e ');
    expect(candidate?.description).to.equal('a\\x0ab\\x09c\\x1b]0;t\\x07\\u202e');
    expect([...(foreignCandidate('con_1', '👾'.repeat(100))[0]?.description ?? '')]).to.have.length(
      80,
    );
    expect(candidatesText(candidate ? [candidate] : [])).to.equal(
      `con_1\t${candidate?.description}\n`,
    );
    expect(candidatesText('files')).to.equal(':files\n');
    expect(candidatesText([])).to.equal('');
  });
});

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {
  candidatesText,
  complete,
  foreignCandidate,
  type KnownCommand,
  type Vocabulary,
  valueSources,
} from '../../../src/cli/completion/candidates.js';
import {connectorFields} from '../../../src/client/read/connector.js';
import {root} from '../../support/sources.js';

const manifest: {readonly commands: Readonly<Record<string, KnownCommand>>} = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);
const vocabulary: Vocabulary = {
  bin: 'connectorctl',
  commands: Object.values(manifest.commands),
  topics: [{name: 'connector', description: 'all about connectors'}],
};

const sources = {
  profiles: async () => [{value: 'prod', description: 'https://connectors.example'}],
  connectors: async () => [{value: 'con_1', description: 'web (online)'}],
};

const offer = (line: string) => complete(line.split(' '), vocabulary, sources);

/** Only the values of the candidates, without descriptions. */
async function words(line: string): Promise<readonly string[] | 'files'> {
  const candidates = await offer(line);
  return candidates === 'files' ? candidates : candidates.map(({value}) => value);
}

describe('completion', () => {
  it('offers every word of every visible command in the manifest', async () => {
    for (const {id, hidden} of vocabulary.commands) {
      const path = id.split(':');
      for (const [index, word] of path.entries()) {
        const before = [...path.slice(0, index), ''].join(' ');
        expect((await words(before)).includes(word), id).to.equal(hidden !== true);
      }
    }
  });

  it('describes topics and commands', async () => {
    const connector = {value: 'connector', description: 'all about connectors'};
    expect(await offer('con')).to.deep.include(connector);
    const use = {value: 'use', description: 'Choose the profile that commands use'};
    expect(await offer('profile ')).to.deep.include(use);
  });

  it('offers every flag of a command except those already on the line', async () => {
    const all = await words('connector list -');
    expect(all).to.include.members(['--output', '--profile', '--json', '--watch', '--help']);
    const left = await words('connector list -o id --watch --profile=prod --');
    expect(left).not.to.include('--output').and.not.include('--watch').and.not.include('--profile');
    expect(left).to.include('--sort');
    const repeated = await words('connector list --status stale -n a -');
    expect(repeated).to.include.members(['--status', '--name']);
  });

  const statuses = ['never', 'online', 'stale', 'offline', 'revoked'];
  const cases: [line: string, offered: readonly string[] | 'files'][] = [
    ['connector list -o ', ['table', 'wide', 'json', 'yaml', 'csv', 'id']],
    ['connector list --status ', statuses],
    ['connector list -s o', statuses],
    ['connector list --columns=', connectorFields.map((field) => `--columns=${field}`)],
    ['connector list --profile ', ['prod']],
    ['connector list --profile=p', ['--profile=prod']],
    ['connector list --api-key-file ', 'files'],
    ['connector list --api-key-file=', 'files'],
    ['connector enroll --parallel ', []],
    ['connector list --watch=', []],
    ['connector list --no-such=', []],
    ['serve --store ', 'files'],
    ['connector enroll ', 'files'],
    ['store copy a ', 'files'],
    ['profile use ', ['prod']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['connector get ', ['con_1']],
    ['connector run --every 5s c', ['con_1']],
    ['connector run --every 5s -- ls --l', 'files'],
    ['key revoke ', []],
    ['no-such ', []],
    ['--json ', []],
  ];
  for (const [line, offered] of cases) {
    it(`offers ${offered === 'files' ? 'files' : offered.join(' ') || 'nothing'} after "${line}"`, async () => {
      expect(await words(line)).to.deep.equal(offered);
    });
  }

  it('offers flags when the command takes no further argument', async () => {
    expect(await words('key revoke key_1 ')).to.include('--reason');
    expect(await words('doctor ')).to.include('--profile');
  });

  it('has sources only for arguments, flags and placeholders that exist in the manifest', () => {
    const known = vocabulary.commands.flatMap(({id, args, flags}) => [
      ...Object.keys(args).map((name) => `${id.split(':', 1)} ${name}`),
      ...Object.keys(flags).map((name) => `--${name}`),
      ...Object.values(flags).map((flag) => flag.type === 'option' && flag.helpValue),
    ]);
    expect(known).to.include.members(Object.keys(valueSources));
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
    const [long] = foreignCandidate('con_1', '👾'.repeat(100));
    expect([...(long?.description ?? '')]).to.have.length(80);
    expect(candidatesText('files')).to.equal(':files\n');
  });
});

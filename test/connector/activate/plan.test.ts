import {expect} from 'chai';
import {type Force, planOf} from '../../../src/connector/activate/plan.js';
import {type Content, contentIn, textOf} from '../../../src/connector/credentials/credentials.js';
import {hashSecret} from '../../../src/domain/secret.js';
import {AppError} from '../../../src/errors.js';
import {savedCredentials} from '../../support/command/credentials.js';

const of = (token: string) => savedCredentials({name: token, token_hash: hashSecret(token)});
const unfinishedOf = (token: string) => ({
  base_url: 'http://127.0.0.1:1',
  name: token,
  token,
  idempotency_key: 'key',
});

const contents = {
  absent: {kind: 'absent'},
  'credentials of A': {kind: 'credentials', credentials: of('A')},
  'credentials of B': {kind: 'credentials', credentials: of('B')},
  'request of A': {kind: 'unfinished', unfinished: unfinishedOf('A')},
  'request of B': {kind: 'unfinished', unfinished: unfinishedOf('B')},
  other: {kind: 'other', what: 'is empty'},
  unusable: {kind: 'unusable', reason: 'it is a link'},
} as const satisfies Record<string, Content>;
type Name = keyof typeof contents;

const forces = {
  no: undefined,
  force: {tokenHash: undefined},
  'force with A': {tokenHash: hashSecret('A')},
  'force with B': {tokenHash: hashSecret('B')},
} as const satisfies Record<string, Force | undefined>;

/** What is done, in the order of `forces`. The file is the key, then the pending file. */
const answers: Partial<Record<Name, Record<Name, readonly [string, string, string, string]>>> = {
  absent: {
    absent: ['activate', 'activate', 'activate', 'activate'],
    'credentials of A': ['place A', 'place A', 'place A', 'refuse pending'],
    'credentials of B': ['place B', 'place B', 'refuse pending', 'place B'],
    'request of A': ['resume A', 'resume A', 'resume A', 'refuse pending'],
    'request of B': ['resume B', 'resume B', 'refuse pending', 'resume B'],
    other: ['refuse pending', 'refuse pending', 'refuse pending', 'refuse pending'],
    unusable: ['refuse pending', 'refuse pending', 'refuse pending', 'refuse pending'],
  },
  'credentials of A': {
    absent: ['report A', 'activate', 'report A', 'activate'],
    'credentials of A': ['report A, same', 'activate', 'report A, same', 'activate'],
    'credentials of B': ['report A, other', 'place B', 'report A, other', 'place B'],
    'request of A': ['report A, same', 'activate', 'report A, same', 'activate'],
    'request of B': ['report A, other', 'resume B', 'report A, other', 'resume B'],
    other: ['report A, other', 'refuse pending', 'report A, other', 'refuse pending'],
    unusable: ['report A, other', 'refuse pending', 'report A, other', 'refuse pending'],
  },
  other: {
    absent: ['refuse file', 'activate', 'activate', 'activate'],
    'credentials of A': ['refuse file', 'place A', 'place A', 'refuse pending'],
    'credentials of B': ['refuse file', 'place B', 'refuse pending', 'place B'],
    'request of A': ['refuse file', 'resume A', 'resume A', 'refuse pending'],
    'request of B': ['refuse file', 'resume B', 'refuse pending', 'resume B'],
    other: ['refuse file', 'refuse pending', 'refuse pending', 'refuse pending'],
    unusable: ['refuse file', 'refuse pending', 'refuse pending', 'refuse pending'],
  },
};

const paths = {path: 'FILE', pending: 'FILE.pending'};

/** The plan; the refusal instead, if there is one. */
function plan(file: Name, pending: Name, force: keyof typeof forces) {
  try {
    return planOf(paths, {file: contents[file], pending: contents[pending]}, forces[force]);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function answer(file: Name, pending: Name, force: keyof typeof forces): string {
  const found = plan(file, pending, force);
  if (found instanceof AppError) {
    return `refuse ${found.message.startsWith(`${paths.pending} `) ? 'pending' : 'file'}`;
  }
  switch (found.do) {
    case 'report': {
      const pendingWord = found.pending === 'absent' ? '' : `, ${found.pending}`;
      return `report ${found.credentials.name}${pendingWord}`;
    }
    case 'place':
      return `place ${found.credentials.name}`;
    case 'resume':
      return `resume ${found.unfinished.token}`;
    case 'activate':
      return 'activate';
  }
}

describe('the plan of an activation', () => {
  for (const [file, byPending] of Object.entries(answers)) {
    for (const [pending, expected] of Object.entries(byPending)) {
      it(`follows from the file (${file}), the pending file (${pending}) and --force`, () => {
        const found = Object.keys(forces).map((force) =>
          answer(file as Name, pending as Name, force as keyof typeof forces),
        );
        expect(found).to.deep.equal(expected);
      });
    }
  }

  it('refuses a file that cannot be read, whatever else there is', () => {
    for (const pending of Object.keys(contents)) {
      for (const force of Object.keys(forces)) {
        const found = answer('unusable', pending as Name, force as keyof typeof forces);
        expect(found).to.equal('refuse file');
      }
    }
  });

  it('takes an unfinished activation in the place of the file for no credentials', () => {
    expect(answer('request of A', 'absent', 'no')).to.equal('refuse file');
    expect(answer('request of A', 'absent', 'force')).to.equal('activate');
  });

  it('names the path, what is wrong with it, and what to do', () => {
    const refusal = (file: Name, pending: Name, force: keyof typeof forces) => {
      const found = plan(file, pending, force);
      return found instanceof AppError
        ? `${found.kind}: ${found.message} ${found.hint}`
        : undefined;
    };
    expect(refusal('other', 'absent', 'no')).to.equal(
      'usage: FILE is empty; nothing was sent. Restore it from a backup, choose another file, or activate with --force to replace it.',
    );
    expect(refusal('absent', 'request of A', 'force with B')).to.equal(
      'usage: FILE.pending holds the unfinished activation of another token, for the name "A"; nothing was sent. Finish it with its token. To give it up: Move that file elsewhere or remove it, then run this command again.',
    );
    expect(refusal('absent', 'credentials of A', 'force with B')).to.include(
      'FILE.pending holds the credentials of another connector, A;',
    );
    expect(refusal('absent', 'unusable', 'no')).to.include(
      'FILE.pending cannot be used: it is a link;',
    );
    expect(refusal('unusable', 'absent', 'no')).to.include('FILE cannot be read: it is a link;');
    expect(refusal('absent', 'absent', 'no')).to.equal(undefined);
  });
});

describe('the content of a file of an activation', () => {
  it('is what was written', () => {
    for (const content of [contents['credentials of A'], contents['request of A']]) {
      const value = 'credentials' in content ? content.credentials : content.unfinished;
      expect(contentIn(textOf(value))).to.deep.equal(content);
    }
  });

  it('is nothing of ours when it is empty, cut off, or lacks a field', () => {
    const {token: _, ...rest} = unfinishedOf('A');
    const {response: __, ...cut} = of('A');
    expect(contentIn('')).to.deep.equal({kind: 'other', what: 'is empty'});
    for (const text of [
      'notes',
      '{"base_url": "htt',
      '{}',
      JSON.stringify(rest),
      JSON.stringify(cut),
    ]) {
      expect(contentIn(text)).to.deep.equal({kind: 'other', what: 'is not a credentials file'});
    }
  });
});

import {expect} from 'chai';
import {refuseRetired} from '../../../src/cli/errors/retired.js';
import {AppError} from '../../../src/errors.js';

const table = {
  'tree:climb': {
    '--rope': 'Write: connectorctl tree lift',
    '-- APE': 'Write: connectorctl ape run',
    TREE_HEIGHT: 'Unset it.',
  },
};

/** The message and the hint of the refusal; undefined without one. */
function refusal(argv: readonly string[], env = {}, id = 'tree:climb'): string | undefined {
  try {
    refuseRetired(id, argv, env, table);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'usage')
      return `${error.message} ${error.hint}`;
    throw error;
  }
  return undefined;
}

describe('what a command took before the first release', () => {
  it('is refused by name with the line to type, as a flag, with a value, and as --', () => {
    const rope = 'connectorctl tree climb no longer takes --rope. Write: connectorctl tree lift';
    expect(refusal(['oak', '--rope', '3'])).to.equal(rope);
    expect(refusal(['oak', '--rope=3'])).to.equal(rope);
    expect(refusal(['oak', '--', 'ape'])).to.equal(
      'connectorctl tree climb no longer takes -- APE. Write: connectorctl ape run',
    );
  });

  it('is refused as a variable, unless that is empty', () => {
    expect(refusal(['oak'], {TREE_HEIGHT: '3'})).to.equal(
      'connectorctl tree climb no longer reads TREE_HEIGHT. Unset it.',
    );
    expect(refusal(['oak'], {TREE_HEIGHT: ''})).to.equal(undefined);
  });

  it('is accepted from another command, and as a longer word', () => {
    expect(refusal(['--rope', '--', 'ape'], {TREE_HEIGHT: '3'}, 'tree:fell')).to.equal(undefined);
    expect(refusal(['--ropes', 'rope'])).to.equal(undefined);
  });
});

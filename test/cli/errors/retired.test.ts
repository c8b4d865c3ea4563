import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {refuseRetired, retired} from '../../../src/cli/errors/retired.js';
import {AppError} from '../../../src/errors.js';
import {runCommand} from '../../support/run-command.js';
import {root} from '../../support/sources.js';

const manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8'));

const table = {
  'tree:climb': {
    '--rope': 'Write: connectorctl tree lift',
    '-r': 'Write: connectorctl tree lift',
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

  it('is refused as a short flag that its value follows without a space', () => {
    const rope = 'connectorctl tree climb no longer takes -r. Write: connectorctl tree lift';
    expect(refusal(['oak', '-r', '3'])).to.equal(rope);
    expect(refusal(['oak', '-r3'])).to.equal(rope);
    expect(refusal(['oak', '-s', '3'])).to.equal(undefined);
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

  for (const [id, rows] of Object.entries(retired)) {
    const command = id.split(':');
    for (const [name, hint] of Object.entries(rows)) {
      it(`is refused by connectorctl ${command.join(' ')}: ${name}`, async () => {
        const isVariable = !name.startsWith('-');
        const [argv, env] = isVariable
          ? [command, {[name]: '3'}]
          : [[...command, ...name.split(' '), '3'], {}];
        const {code, stdout, stderr} = await runCommand(argv, env);
        expect({code, stdout}).to.deep.equal({code: 2, stdout: ''});
        expect(stderr).to.match(new RegExp(`^Error: connectorctl ${command.join(' ')} no longer`));
        expect(stderr).to.include(hint);
        const [, topic, verb] = /connectorctl (\w+) (\w+)/.exec(hint) ?? [];
        expect(Object.keys(manifest.commands)).to.include(`${topic}:${verb}`);
      });
    }
  }
});

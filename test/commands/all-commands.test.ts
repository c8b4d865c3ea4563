import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import type {Interfaces} from '@oclif/core';
import {expect} from 'chai';
import {exitCodes} from '../../src/errors.js';
import {runCommand} from '../support/command/run-command.js';
import {root} from '../support/sources.js';

const {commands}: Interfaces.Manifest = JSON.parse(
  readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
);

describe('all commands', () => {
  it('are strict: an unknown flag is refused before anything else', async () => {
    const ids = Object.keys(commands).filter((id) => id !== '__complete');
    for (const id of ids) {
      const words = id.split(':');
      const {code, stderr} = await runCommand([...words, '--no-such-flag']);
      expect(code, id).to.equal(exitCodes.usage.code);
      expect(stderr, id).to.include('--no-such-flag');
    }
  });

  it('refuse an empty argument and an empty value of a flag, which an unset variable gives', async () => {
    const own = Object.entries(commands).filter(([id]) => !['__complete', 'serve'].includes(id));
    for (const [id, {args, flags}] of own) {
      const required = Object.values(flags).filter((flag) => flag.required);
      const line = [
        ...id.split(':'),
        ...required.flatMap(({name, type}) =>
          type === 'option' ? [`--${name}`, 'x'] : [`--${name}`],
        ),
      ];
      const [arg] = Object.values(args);
      if (arg !== undefined && arg.options === undefined) {
        const {code, stderr} = await runCommand([...line, ...Object.keys(args).map(() => '')]);
        expect({code, stderr}, id).to.deep.equal({
          code: exitCodes.usage.code,
          stderr: `Error: ${arg.name.toUpperCase()} is empty.\n  Set a value; an unset shell variable is empty.\n`,
        });
      }
      const given = Object.values(args).map(() => 'x');
      for (const {name, type} of Object.values(flags)) {
        if (type !== 'option') continue;
        const {code, stderr} = await runCommand([...line, ...given, `--${name}`, '']);
        expect(code, `${id} --${name}`).to.equal(exitCodes.usage.code);
        expect(stderr, id).to.include(`--${name}`);
      }
    }
  });

  it('never read a missing argument from stdin', async () => {
    const ids = Object.entries(commands)
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
});

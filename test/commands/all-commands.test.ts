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

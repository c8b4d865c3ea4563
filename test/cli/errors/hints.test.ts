import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Interfaces} from '@oclif/core';
import {expect} from 'chai';
import {withHint} from '../../../src/cli/errors/hints.js';
import {AppError} from '../../../src/errors.js';
import {readAddresses} from '../../../src/server/net/addresses.js';
import {failure} from '../../support/client.js';
import {root, sourceFiles} from '../../support/sources.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const {commands}: Interfaces.Manifest = JSON.parse(read('oclif.manifest.json'));

const hintOf = (reason: string, {kind = 'usage', retryAfter = undefined, ...details} = {}) =>
  withHint(new AppError(kind as 'usage', 'x', {reason, retryAfter, details})).hint;

describe('the hint of an error on the command line', () => {
  // What is known of an error beside its reason, in lines such as `key-invalid {"DETAIL":"VALUE"}: HINT`.
  for (const line of read('test/cli/errors/hints.txt').trim().split('\n')) {
    it(`depends on what is known: ${line}`, () => {
      const [, reason = '', json = '', hint] = /^(\S+) (\{.*\}): (.*)$/.exec(line) ?? [];
      expect(hintOf(reason, JSON.parse(json))).to.equal(hint);
    });
  }

  const source = sourceFiles().find(({path}) => path === 'cli/errors/hints.ts')?.text ?? '';
  const flags = Object.values(commands).flatMap((command) => [
    'help',
    ...Object.keys(command.flags),
  ]);
  for (const [, reason = ''] of source.matchAll(/^ {2}'(.+?)':/gm)) {
    it(`is a sentence, or ends with what to write, and its commands and flags exist: ${reason}`, () => {
      const hint = hintOf(reason, {origin: 'https://s.example'} as object) ?? '';
      expect(hint).to.match(/^[A-Z].*(?:[^ ][.?]|: connectorctl \S.*|: http:\S+)$/);
      for (const [, name = ''] of hint.matchAll(/--([\w-]+)/g)) expect(flags).to.include(name);
      for (const [, words = ''] of hint.matchAll(/connectorctl ((?:[a-z]+ ?)+)/g)) {
        const id = words.trim().replaceAll(' ', ':');
        if (/^(service|that|it)/.test(words)) continue;
        expect(
          Object.keys(commands).some((one) => `${id}:`.startsWith(`${one}:`)),
          id,
        ).to.equal(true);
      }
    });
  }

  it('is there for every reason of the service and the store', () => {
    const files = sourceFiles().filter(({path}) => /^(server|store)\//.test(path));
    const reasons = files.flatMap(({text}) =>
      [...text.matchAll(/\breason: '([a-z]+(?:-[a-z]+)+)'/g)].map(([, reason = '']) => reason),
    );
    expect(reasons.length).to.be.above(15);
    const stores = files.find(({path}) => path === 'server/admin/store-errors.ts')?.text ?? '';
    for (const [, kind] of stores.matchAll(/^ {2}(\w+): '/gm)) reasons.push(`store-${kind}`);
    expect(reasons.filter((reason) => hintOf(reason) === undefined)).to.deep.equal([]);
  });

  it('leads to the flag of the setting that is wrong, which the service does not know', async () => {
    const error = await failure(() => readAddresses('trustProxy', '10/8'));
    expect(error.message).not.to.include('--');
    expect(withHint(error).hint).to.include('Pass addresses or networks to --trust-proxy');
  });

  it('is that of the error itself if it has one', () => {
    const error = new AppError('usage', 'x', {reason: 'key-invalid', hint: 'Do this.'});
    expect(withHint(error)).to.equal(error);
  });
});

import {appendFileSync, readFileSync} from 'node:fs';
import {expect} from 'chai';
import {Journal} from '../../../../src/cli/activation/fleet/journal.js';
import {temporaryDirectory} from '../../../support/temporary-directory.js';

describe('the journal of connector activate --from', () => {
  const at = temporaryDirectory();
  const reservation = (name: string) => ({
    base_url: 'http://127.0.0.1:1',
    name,
    token_hash: 'hash',
    idempotency_key: `key-of-${name}`,
    token: `act_${name}`,
  });
  const open = () => new Journal(at('journal'));
  const unfinished = () => {
    const journal = open();
    journal.close();
    return [...journal.unfinished];
  };

  it('has after a kill what was begun and not settled, and the last of each file', async () => {
    const journal = open();
    await Promise.all(['a', 'b', 'c'].map((name) => journal.begin(name, reservation(name))));
    journal.settle('b');
    await journal.begin('c', reservation('later'));
    journal.close();
    expect(unfinished()).to.deep.equal([
      ['a', reservation('a')],
      ['c', reservation('later')],
    ]);
  });

  it('ignores a line that a full disk or a kill cut, and reads the line after it', async () => {
    const journal = open();
    await journal.begin('a', reservation('a'));
    appendFileSync(at('journal'), '\n{"file":"cut","reserv');
    await journal.begin('b', reservation('b'));
    journal.close();
    expect(unfinished().map(([file]) => file)).to.deep.equal(['a', 'b']);
  });

  it('is empty once it is cleared', async () => {
    const journal = open();
    await journal.begin('a', reservation('a'));
    journal.clear();
    expect(readFileSync(at('journal'), 'utf8')).to.equal('');
    await journal.begin('b', reservation('b'));
    journal.close();
    expect(unfinished().map(([file]) => file)).to.deep.equal(['b']);
  });
});

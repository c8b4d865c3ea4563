import {readdirSync, readFileSync} from 'node:fs';
import {expect} from 'chai';
import {isWellFormedSecret} from '../../../src/domain/secret.js';
import {runCommand} from '../../support/command/run-command.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('key create', () => {
  const at = temporaryDirectory();
  const store = () => at('store');
  beforeEach(() => makeStore(store()));
  const create = (...flags: string[]) =>
    runCommand(['key', 'create', '--store', store(), ...flags]);

  it('writes only the key to stdout, and its description to stderr', async () => {
    const {code, stdout, stderr} = await create('--organization', 'acme');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^ck_[\w-]{49}\n$/);
    expect(isWellFormedSecret('organizationKey', stdout.trim())).to.equal(true);
    expect(stderr).to.match(
      /^Created key key_[0-9A-Z]{26} of organization acme in the store .*\n$/,
    );
    expect(stderr).to.include(store()).and.not.include(stdout.trim());
    const kept = readdirSync(store()).map((name) => readFileSync(at('store', name), 'utf8'));
    expect(kept.join('')).to.include('acme').and.not.include(stdout.trim());
  });

  it('writes the record and the key as JSON with --json, and nothing to stderr', async () => {
    const before = Date.now();
    const {code, stdout, stderr} = await create(
      '--organization',
      'acme',
      '--description',
      'for ci',
      '--expires',
      '720h',
      '--json',
    );
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    const {id, api_key: key, created_at: made, expires_at: expires, ...rest} = JSON.parse(stdout);
    expect(rest).to.deep.equal({
      organization: 'acme',
      access: 'full',
      description: 'for ci',
      last_used_at: null,
      revoked_at: null,
      revocation_reason: null,
    });
    expect(id).to.match(/^key_/);
    expect(isWellFormedSecret('organizationKey', key)).to.equal(true);
    expect(Date.parse(expires) - 720 * 3600_000).to.be.within(before, Date.parse(made));
  });

  it('creates a key that may only read, and says so', async () => {
    const {stderr} = await create('--access', 'read');
    expect(stderr).to.match(/It may only read, and is not shown again\.\n$/);
    const {stdout} = await create('--access', 'read', '--json');
    expect(JSON.parse(stdout).access).to.equal('read');
  });

  it('creates a key of the organization "default" that does not expire, by default', async () => {
    const {stdout} = await create('--json');
    expect(JSON.parse(stdout)).to.include({organization: 'default', expires_at: null});
  });

  const refused: readonly (readonly [string[], string])[] = [
    [['--organization', 'Not Allowed'], 'The organization must be 1 to 64 of the characters'],
    [['--organization', ''], '--organization is empty.'],
    [['--description', 'two\nlines'], 'The description must be 1 to 256 characters'],
    [['--access', 'write'], 'Expected --access=write to be one of: full, read'],
    [['--expires', 'soon'], '--expires "soon" is not a duration.'],
  ];
  for (const [flags, said] of refused) {
    it(`rejects the flags ${JSON.stringify(flags)}`, async () => {
      const {code, stdout, stderr} = await create(...flags);
      expect({code, stdout}).to.deep.equal({code: 2, stdout: ''});
      expect(stderr).to.include(`Error: ${said}`);
      expect(stderr.split('\n'), 'a next step').to.have.length.above(2);
    });
  }
});

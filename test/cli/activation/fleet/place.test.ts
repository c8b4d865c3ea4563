import {existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {expect} from 'chai';
import {journalName} from '../../../../src/cli/activation/credentials-place.js';
import {
  CredentialsDirectory,
  WritableDirectory,
} from '../../../../src/cli/activation/fleet/directory.js';
import {Journal} from '../../../../src/cli/activation/fleet/journal.js';
import {Place, WritablePlace} from '../../../../src/cli/activation/fleet/place.js';
import {temporaryDirectory} from '../../../support/temporary-directory.js';

const credentials = {
  base_url: 'http://127.0.0.1:1',
  connector_id: 'con_1',
  name: 'a',
  api_key: 'key-of-a',
  token_hash: 'hash',
  activated_at: '2026-01-01T00:00:00.000Z',
};
const {base_url, name, token_hash} = credentials;
const reservation = {base_url, name, token_hash, idempotency_key: 'key', token: 'act_a'};
const content = Buffer.from(`${JSON.stringify(credentials)}\n`);

describe('the directory of connector activate --from', () => {
  const at = temporaryDirectory();
  const out = (file: string) => at('out', file);
  const open = () => WritableDirectory.open(at('out'));

  describe('after a run that ended between the journal and the file', () => {
    beforeEach(async () => {
      mkdirSync(at('out'));
      const journal = new Journal(out(journalName));
      await journal.begin('a.json', reservation);
      await journal.finish('a.json', content);
      journal.close();
    });

    const parts: readonly {readonly what: string; readonly bytes: Buffer | undefined}[] = [
      {what: 'no file', bytes: undefined},
      {what: 'an empty file', bytes: Buffer.alloc(0)},
      {what: 'the beginning of the file', bytes: content.subarray(0, 20)},
      {what: 'zeros of the right length', bytes: Buffer.alloc(content.length)},
      {what: 'the whole file', bytes: content},
    ];
    for (const {what, bytes} of parts) {
      it(`has the credentials, where there was ${what}`, async () => {
        if (bytes !== undefined) writeFileSync(out('a.json'), bytes);
        writeFileSync(out('a.json.pending'), JSON.stringify(reservation));
        const directory = await open();
        expect(readFileSync(out('a.json'))).to.deep.equal(content);
        expect(existsSync(out('a.json.pending'))).to.equal(false);
        expect(await directory.close()).to.equal(undefined);
        expect(readdirSync(at('out'))).to.deep.equal(['a.json']);
      });

      it(`shows the credentials without changing anything, where there is ${what}`, async () => {
        if (bytes !== undefined) writeFileSync(out('a.json'), bytes);
        const place = new Place(await CredentialsDirectory.look(at('out')), 'a.json');
        expect(await place.inspect()).to.deep.equal({
          placed: {kind: 'credentials', credentials},
          pending: {kind: 'absent'},
        });
        expect(existsSync(out('a.json'))).to.equal(bytes !== undefined);
        if (bytes !== undefined) expect(readFileSync(out('a.json'))).to.deep.equal(bytes);
      });
    }

    it('shows the credentials beside a foreign file', async () => {
      writeFileSync(out('a.json'), 'mine\n');
      const place = new Place(await CredentialsDirectory.look(at('out')), 'a.json');
      expect(await place.inspect()).to.deep.equal({
        placed: {kind: 'other'},
        pending: {kind: 'credentials', credentials},
      });
    });

    it('makes the file readable only by its owner', async () => {
      await (await open()).close();
      expect(statSync(out('a.json')).mode & 0o777).to.equal(0o600);
    });

    it('puts the credentials beside a foreign file', async () => {
      writeFileSync(out('a.json'), 'mine\n');
      await (await open()).close();
      expect(readFileSync(out('a.json'), 'utf8')).to.equal('mine\n');
      expect(readFileSync(out('a.json.pending'))).to.deep.equal(content);
    });

    it('puts the credentials beside a directory of that name', async () => {
      mkdirSync(out('a.json'));
      await (await open()).close();
      expect(readFileSync(out('a.json.pending'))).to.deep.equal(content);
    });
  });

  it('shows the unfinished activation of a run that was killed', async () => {
    mkdirSync(at('out'));
    const journal = new Journal(out(journalName));
    await journal.begin('a.json', reservation);
    journal.close();
    const place = new Place(await CredentialsDirectory.look(at('out')), 'a.json');
    expect(await place.inspect()).to.deep.equal({
      placed: {kind: 'absent'},
      pending: {kind: 'reservation', reservation},
    });
    expect(readdirSync(at('out'))).to.deep.equal([journalName]);
  });

  it('keeps the unfinished activation in a file of its own at the end of a run', async () => {
    mkdirSync(at('out'));
    const directory = await open();
    const place = new WritablePlace(directory, 'a.json');
    await place.reserve();
    await place.record(reservation);
    place.close();
    await directory.close();
    expect(readdirSync(at('out'))).to.deep.equal(['a.json.pending']);
    expect(JSON.parse(readFileSync(out('a.json.pending'), 'utf8'))).to.deep.equal(reservation);
  });

  it('clears a long journal between rows, and loses nothing of it', async () => {
    mkdirSync(at('out'));
    const directory = await open();
    const size = () => statSync(out(journalName)).size;
    const row = async (file: string, bytes?: Buffer) => {
      const place = new WritablePlace(directory, file);
      await place.reserve();
      await place.record(reservation);
      return async () => {
        if (bytes !== undefined) await place.commit(bytes);
        place.close();
      };
    };
    const long = Buffer.alloc(13 * 1024 * 1024, 'x');
    const [end, endLong] = [await row('unfinished'), await row('long', long)];
    await endLong();
    expect(size()).to.be.above(16 * 1024 * 1024);
    const next = row('a.json', content);
    await end();
    await (await next)();
    expect(size()).to.be.below(1024 * 1024);
    expect(await directory.close()).to.equal(undefined);
    expect(readdirSync(at('out')).sort()).to.deep.equal(['a.json', 'long', 'unfinished.pending']);
    expect(readFileSync(out('long')).equals(long)).to.equal(true);
  });
});

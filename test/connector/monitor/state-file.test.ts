import {chmodSync, copyFileSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {withState} from '../../../src/connector/monitor/state-file.js';
import {noState} from '../../../src/domain/check/monitor.js';
import {failure} from '../../support/client.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const service = 'http://127.0.0.1:4480';
const frozen = join(root, 'test', 'connector', 'monitor', 'frozen', 'state-1.json');

/** Versions as JSON. */
const otherVersions = ['0', '2', '99', '"2"', '-1', '1.5'];

describe('the state file of a monitor', () => {
  const at = temporaryDirectory();

  it('of schema 1 is read, and written again unchanged', async () => {
    copyFileSync(frozen, at('state.json'));
    const state = await withState(at('state.json'), service, async (store) => {
      const loaded = await store.load();
      await store.save(loaded);
      return loaded;
    });
    expect(readFileSync(at('state.json'), 'utf8')).to.equal(readFileSync(frozen, 'utf8'));
    expect(state.hasBaseline).to.equal(true);
    const [told, begun, worse] = state.problems;
    expect(told).to.deep.include({since: Date.parse('2026-03-06T18:00:00Z')});
    expect(told?.problem).to.include({id: 'offline', rule: 'max-offline', subject: 'web-7'});
    expect(told?.waiting).to.include({id: told?.told?.id, change: 'began'});
    expect(begun).to.have.keys('problem', 'since');
    expect(begun?.problem).to.include({id: 'min-total'}).and.not.have.any.keys('rule');
    expect(worse).to.include.keys('worseSince', 'isDelivered');
  });

  it('is empty before the first run, and only its owner can read it afterwards', async () => {
    await withState(at('state.json'), service, async (store) => {
      expect(await store.load()).to.deep.equal(noState);
      await store.save(noState);
    });
    expect(statSync(at('state.json')).mode & 0o777).to.equal(0o600);
  });

  const refused: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ['is damaged', (text) => text.slice(0, 200), /is not a state file of connector monitor; /],
    ['is empty', () => '', /it was not touched\. Restore it or move it away\.$/],
    ...otherVersions.map(
      (version) =>
        [
          `is of version ${version}, all else being right,`,
          (text: string) => text.replace('"schema": 1', `"schema": ${version}`),
          new RegExp(`has format version ${version}, not this build's .* Use the .*--state\\.$`),
        ] as const,
    ),
    [
      'is of another service',
      (text) => text.replace(service, 'https://b'),
      /is that of another service, https:\/\/b; .* Use one state file for each service\.$/,
    ],
  ];
  for (const [title, change, message] of refused) {
    it(`that ${title} is refused, and left as it is`, async () => {
      const text = change(readFileSync(frozen, 'utf8'));
      writeFileSync(at('state.json'), text);
      const error = await failure(() =>
        withState(at('state.json'), service, (store) => store.load()),
      );
      expect(error).to.include({kind: 'usage'});
      expect(`${error.message} ${error.hint}`)
        .to.match(message)
        .and.match(/^The state file \//);
      expect(readFileSync(at('state.json'), 'utf8')).to.equal(text);
    });
  }

  it('is that of its service in any spelling of the URL', async () => {
    copyFileSync(frozen, at('state.json'));
    const state = await withState(at('state.json'), 'HTTP://127.0.0.1:4480/', (store) =>
      store.load(),
    );
    expect(state.hasBaseline).to.equal(true);
  });

  it('that everyone can write to is refused', async () => {
    copyFileSync(frozen, at('state.json'));
    chmodSync(at('state.json'), 0o666);
    const error = await failure(() =>
      withState(at('state.json'), service, (store) => store.load()),
    );
    expect(error).to.include({kind: 'usage'});
    expect(error.message).to.match(/ cannot be read: .*other users can write to it/);
    expect(error.hint).to.equal('Make it your own and readable.');
  });

  it('is used by one monitor at a time', async () => {
    await withState(at('state.json'), service, async () => {
      const error = await failure(() => withState(at('state.json'), service, async () => {}));
      expect(error).to.include({kind: 'unavailable', reason: 'busy'});
      expect(error.message).to.include(` is used by process ${process.pid} on `);
      expect(error.hint).to.match(
        /^One monitor at a time .* Stop the other, or pass .* --state\.$/,
      );
    });
  });

  it('in a directory that does not exist is refused before anything else', async () => {
    const error = await failure(() =>
      withState(at('nowhere', 'state.json'), service, () => expect.fail('it ran')),
    );
    expect(error).to.include({kind: 'usage'});
    expect(error.message).to.match(/^Cannot write the state file .*: no such file or directory/);
  });
});

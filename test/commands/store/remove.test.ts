import {expect} from 'chai';
import {openStore} from '../../../src/store/open.js';
import type {Store} from '../../../src/store/store.js';
import {runCommand} from '../../support/command/run-command.js';
import {runChild} from '../../support/process/child.js';
import {openTerminal} from '../../support/process/terminal.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, day, sampleApiKey} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

describe('store remove', () => {
  const at = temporaryDirectory();
  const now = Date.now();

  const using = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(at('store'), {log: new RecordedLog(), now: Date.now});
    return use(store).finally(() => store.close());
  };
  const remove = (...words: string[]) =>
    runCommand(['store', 'remove', ...words, '--store', at('store')]);
  const names = (): Promise<string[]> =>
    using(async (store) => {
      const found: string[] = [];
      for (const organization of ['acme', 'umbrella']) {
        for await (const batch of store.listConnectors(organization)) {
          found.push(...batch.map(({name}) => name));
        }
      }
      return found;
    });
  const ids: Record<string, string> = {};

  beforeEach(() =>
    using(async (store) => {
      await store.createApiKey(sampleApiKey());
      await store.createApiKey(sampleApiKey({organization: 'umbrella'}));
      for (const [name, age, organization] of [
        ['web-old', 40, 'acme'],
        ['web-new', 0, 'acme'],
        ['web-never', null, 'acme'],
        ['web-other', 40, 'umbrella'],
      ] as const) {
        const {id} = await activate(store, {name, organization});
        ids[name] = id;
        if (age !== null) await store.recordHeartbeat(id, now - age * day, {organization});
      }
    }),
  );

  it('shows what would go without --yes and without a terminal, removes nothing, and exits with 2', async () => {
    const {code, stdout, stderr} = await remove('--offline-since', '30d', '--org', 'acme');
    expect({code, stdout}).to.deep.equal({code: 2, stdout: ''});
    expect(stderr)
      .to.match(/ORGANIZATION +LAST HEARTBEAT/)
      .and.match(/web-old +acme +\d{4}-/)
      .and.include('1 connector would be removed; nothing was.')
      .and.include('repeat with --yes')
      .and.not.include('web-new');
    expect(await names()).to.have.length(4);
  });

  it('writes an audit record for each to stderr when no service does it', async () => {
    const flags = ['--offline-since', '30d', '--yes', '--all-organizations'];
    const argv = ['store', 'remove', ...flags, '--store', at('store')];
    const {code, stderr} = await runChild(argv);
    expect(code).to.equal(0);
    const records = stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(
      records.map((line) => JSON.parse(line)).map(({audit, connector_id}) => [audit, connector_id]),
    ).to.deep.equal([
      ['connector_removed', ids['web-old']],
      ['connector_removed', ids['web-other']],
    ]);
  });

  it('exits with 4 when the store has none of the ids', async () => {
    const {code, stderr} = await remove(
      ...Array.from({length: 6}, (_, at) => `con_${at + 1}`),
      '--yes',
    );
    expect(code).to.equal(4);
    expect(stderr).to.include('Not in this store: con_1, con_2, con_3, con_4, con_5, … 1 more.');
  });

  it('refuses connectors of several organizations without --all-organizations', async () => {
    for (const words of [[], ['--yes']]) {
      const {code, stderr} = await remove('--offline-since', '30d', ...words);
      expect(code).to.equal(2);
      expect(stderr)
        .to.include('connectors of 2 organizations')
        .and.include('--organization acme')
        .and.include('--all-organizations');
    }
    expect(await names()).to.have.length(4);
    expect((await remove('--offline-since', '30d', '-y', '--all-organizations')).code).to.equal(0);
    expect(await names()).to.deep.equal(['web-new', 'web-never']);
  });

  for (const [flags, left] of [
    ['--offline-since 30d --organization acme', 'web-new web-never web-other'],
    ['--name web-n*', 'web-old web-other'],
    ['--name web-* --offline-since 30d --all-organizations', 'web-new web-never'],
  ] as const) {
    it(`leaves ${left} with --yes ${flags}`, async () => {
      const {code} = await remove(...flags.split(' '), '--yes');
      expect(code).to.equal(0);
      expect(await names()).to.deep.equal(left.split(' '));
    });
  }

  it('removes by id, and writes what was removed as JSON', async () => {
    const id = ids['web-old'] ?? '';
    const {code, stdout, stderr} = await remove(id, '--yes', '--json');
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    const removed = JSON.parse(stdout);
    expect(removed.unknown).to.deep.equal([]);
    expect(removed.connectors).to.deep.equal([
      {
        id,
        name: 'web-old',
        organization: 'acme',
        activated_at: removed.connectors[0].activated_at,
        last_heartbeat_at: new Date(now - 40 * day).toISOString(),
        revoked_at: null,
      },
    ]);
  });

  it('names the ids that the store does not have, as in a list that was used before, and removes the others', async () => {
    const {code, stderr} = await remove(ids['web-old'] ?? '', 'con_1', 'con_2', '--yes');
    expect(code).to.equal(0);
    expect(stderr).to.include('Not in this store: con_1, con_2.');
    expect(await names()).to.have.length(3);
    const other = await remove(ids['web-new'] ?? '', 'con_1', '--json', '-y');
    expect(JSON.parse(other.stdout).unknown).to.deep.equal(['con_1']);
  });

  for (const words of [[], ['--yes'], ['--organization', 'acme'], ['con_1', '--name', '*']]) {
    it(`refuses the words ${JSON.stringify(words)}, which select nothing or too much`, async () => {
      const {code, stderr} = await remove(...words);
      expect(code).to.equal(2);
      expect(stderr).to.include('Select connectors by ids, or by --offline-since, --name or both.');
    });
  }

  describe('on a terminal', () => {
    const words = ['store', 'remove', '--name', 'web-n*', '--store'];

    it('shows the table and asks, and leaves the store to other processes until then', async () => {
      const terminal = openTerminal([...words, at('store')], {columns: 200});
      await terminal.until(/Remove 2 connectors from .*\?/s);
      expect(terminal.written()).to.match(/web-never +acme +never/);
      expect(await names()).to.have.length(4);
      terminal.type('y\r');
      expect((await terminal.ended).code).to.equal(0);
      expect(terminal.written()).to.include('Removed 2 connectors');
      expect(terminal.written().match(/ORGANIZATION/g)).to.have.length(1);
      expect(await names()).to.have.length(2);
    });

    it('removes none after Enter', async () => {
      const terminal = openTerminal([...words, at('store')], {columns: 200});
      await terminal.until(/Remove 2 connectors/);
      terminal.type('\r');
      expect((await terminal.ended).code).to.equal(130);
      expect(await names()).to.have.length(4);
    });
  });
});

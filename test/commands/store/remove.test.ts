import {expect} from 'chai';
import {openStore} from '../../../src/store/open.js';
import type {Store} from '../../../src/store/store.js';
import {runChild} from '../../support/child.js';
import {runCommand} from '../../support/run-command.js';
import {RecordedLog} from '../../support/store/recorded-log.js';
import {activate, day, sampleApiKey} from '../../support/store/samples.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {closeTerminals, openTerminal} from '../../support/terminal.js';

describe('store remove', () => {
  const at = temporaryDirectory();
  const now = Date.now();

  const using = async <T>(use: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(at('store'), {log: new RecordedLog(), now: Date.now});
    return use(store).finally(() => store.close());
  };
  const remove = (...words: string[]) =>
    runCommand(['store', 'remove', ...words, '--store', at('store')]);
  const names = async (): Promise<string[]> => {
    const {stdout} = await remove('--name', '*', '-o', 'csv');
    return stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[1] ?? '');
  };
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

  it('shows what would go without --yes, and removes nothing', async () => {
    const {code, stdout, stderr} = await remove('--offline-since', '30d');
    expect(code).to.equal(0);
    expect(stdout).to.include('web-old').and.include('web-other').and.not.include('web-new');
    expect(stderr).to.equal(
      '2 connectors would be removed; nothing was. To remove: repeat with --yes.\n',
    );
    expect(await names()).to.have.length(4);
  });

  for (const [flags, left] of [
    [
      ['--offline-since', '30d'],
      ['web-new', 'web-never'],
    ],
    [
      ['--offline-since', '30d', '--organization', 'acme'],
      ['web-new', 'web-never', 'web-other'],
    ],
    [
      ['--name', 'web-n*'],
      ['web-old', 'web-other'],
    ],
    [
      ['--name', 'web-*', '--offline-since', '30d'],
      ['web-new', 'web-never'],
    ],
    [
      ['--name', 'none-*'],
      ['web-old', 'web-new', 'web-never', 'web-other'],
    ],
  ] as const) {
    it(`leaves ${left.join(', ')} with --yes ${flags.join(' ')}`, async () => {
      const {code} = await remove(...flags, '--yes');
      expect(code).to.equal(0);
      expect(await names()).to.deep.equal(left);
    });
  }

  it('removes by id, and writes what was removed as JSON, in the fields of the interface', async () => {
    const id = ids['web-old'] ?? '';
    const preview = JSON.parse((await remove(id, '--json')).stdout);
    const {code, stdout, stderr} = await remove(id, '--yes', '--json');
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''});
    const removed = JSON.parse(stdout);
    expect(removed).to.deep.equal({...preview, removed: true});
    expect(preview.removed).to.equal(false);
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
    const preview = await remove(ids['web-new'] ?? '', 'con_1', '--json');
    expect(JSON.parse(preview.stdout).unknown).to.deep.equal(['con_1']);
  });

  it('exits with 4 when the store has none of the ids', async () => {
    const {code, stderr} = await remove(
      'con_1',
      'con_2',
      'con_3',
      'con_4',
      'con_5',
      'con_6',
      '--yes',
    );
    expect(code).to.equal(4);
    expect(stderr).to.include('Not in this store: con_1, con_2, con_3, con_4, con_5, and 1 more.');
  });

  it('writes an audit record for each to stderr when no service does it', async () => {
    const argv = ['store', 'remove', '--offline-since', '30d', '--yes', '--store', at('store')];
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

  for (const words of [[], ['--yes'], ['--organization', 'acme'], ['con_1', '--name', '*']]) {
    it(`refuses the words ${JSON.stringify(words)}, which select nothing or too much`, async () => {
      const {code, stderr} = await remove(...words);
      expect(code).to.equal(2);
      expect(stderr).to.include('Select connectors by ids, or by --offline-since, --name or both.');
    });
  }
});

describe('store remove of more than ten connectors on a terminal', () => {
  const at = temporaryDirectory();
  afterEach(closeTerminals);

  const left = async (): Promise<number> => {
    const {stdout} = await runCommand([
      'store',
      'remove',
      '--name',
      '*',
      '-o',
      'id',
      '--store',
      at('store'),
    ]);
    return stdout.split('\n').length - 1;
  };
  const open = () =>
    openTerminal(['store', 'remove', '--name', 'web-*', '--yes', '--store', at('store')]);

  beforeEach(async () => {
    const store = await openStore(at('store'), {log: new RecordedLog(), now: Date.now});
    await store.createApiKey(sampleApiKey());
    for (let count = 0; count < 11; count += 1) await activate(store, {name: `web-${count}`});
    await activate(store, {name: 'db-1'});
    await store.close();
  });

  it('needs their number typed, and repeats the question after anything else', async () => {
    const terminal = open();
    await terminal.until(/Type 11 to remove 11 connectors from/);
    terminal.type('y\r');
    await terminal.until(/Type 11, or Ctrl-C/);
    terminal.type('\x7f11\r');
    expect((await terminal.ended).code).to.equal(0);
    expect(terminal.written()).to.include('Removed 11 connectors');
    expect(await left()).to.equal(1);
  });

  it('leaves the store to other processes until then', async () => {
    const terminal = open();
    await terminal.until(/Type 11 to remove/);
    expect(await left()).to.equal(12);
    terminal.type('11\r');
    expect((await terminal.ended).code).to.equal(0);
    expect(await left()).to.equal(1);
  });

  it('removes none after Ctrl-C', async () => {
    const terminal = open();
    await terminal.until(/Type 11 to remove/);
    terminal.type('\x03');
    expect((await terminal.ended).code).to.equal(130);
    expect(await left()).to.equal(12);
  });
});

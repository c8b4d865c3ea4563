import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {isInstalled} from '../../support/notice.js';
import {inherited, installProgram, runChild, startService} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {makeStore} from '../../support/store/make.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {unitNamed} from '../../support/values/units.js';

const path = (name: string) => join(root, 'contrib', 'systemd', name);
const unit = unitNamed('connectorctl-backup.service');

/** The values of one setting of the unit, in order, without the escapes of systemd. */
const settings = (name: string): string[] =>
  unit.values(name).map((value) => value.replaceAll('$$', '$').replaceAll('%%', '%'));

describe('the backup of contrib/systemd, without systemd,', () => {
  const at = temporaryDirectory();
  beforeEach(() => {
    mkdirSync(at('backups'));
    mkdirSync(at('bin'));
    installProgram(at('bin'));
  });

  /** Runs the commands of the unit as systemd does. @returns the exit code of the first that fails, or 0 */
  function backUp(keep = '14'): number {
    const environment = settings('Environment').map((text) => text.split(/=(.*)/, 2));
    const env = {
      ...inherited,
      ...Object.fromEntries(environment),
      CONNECTORCTL_STORE: at('store'),
      KEEP: keep,
    };
    const execute = (line: string): number =>
      spawnSync('sh', ['-c', line.replace('/usr/bin/connectorctl', at('bin', 'connectorctl'))], {
        cwd: at('backups'),
        env,
      }).status ?? Number.NaN;
    let code = 0;
    for (const line of [...settings('ExecStartPre'), ...settings('ExecStart')]) {
      code = execute(line);
      if (code !== 0) break;
    }
    for (const line of settings('ExecStopPost')) expect(execute(line)).to.equal(0);
    return code;
  }

  const backups = () => readdirSync(at('backups')).sort();
  const makeBackups = (...names: string[]) => {
    for (const name of names) {
      mkdirSync(at('backups', name));
      writeFileSync(at('backups', name, 'store.jsonl'), '');
    }
  };

  it('leaves a checked copy of a store that a service uses, which can be served', async () => {
    const service = await startService(at('store'));
    const code = backUp();
    await service.stop();
    expect(code).to.equal(0);
    const [copy = '', ...others] = backups();
    expect(copy).to.match(/^store\.\d{8}T\d{6}Z$/);
    expect(others).to.deep.equal([]);
    const list = ['key', 'list', '--json', '--store'];
    const restored = await runChild([...list, at('backups', copy)]);
    expect(restored.stdout).to.equal((await runChild([...list, at('store')])).stdout);
  });

  it('removes the oldest copies beyond those to keep, and nothing else', async () => {
    await makeStore(at('store'));
    makeBackups(
      'store.20200101T000000Z',
      'store.20210101T000000Z',
      'store.20220101T000000Z',
      'store.old',
    );
    expect(backUp('2')).to.equal(0);
    const [old, ...rest] = backups();
    expect([old, rest.at(-1), rest.length]).to.deep.equal([
      'store.20220101T000000Z',
      'store.old',
      2,
    ]);
  });

  it('fails and removes no copy when the store is damaged', async () => {
    await makeStore(at('store'));
    truncateSync(at('store', 'store.jsonl'), 40);
    makeBackups('store.20200101T000000Z');
    expect(backUp('1')).to.equal(6);
    expect(backups()).to.deep.equal(['store.20200101T000000Z']);
  });

  for (const [keep, code] of [
    ['0', 1],
    ['', 2],
  ] as const) {
    it(`fails and removes no copy when KEEP is '${keep}'`, async () => {
      await makeStore(at('store'));
      makeBackups('store.20200101T000000Z');
      expect(backUp(keep)).to.equal(code);
      expect(backups()).to.deep.equal(['store.20200101T000000Z']);
    });
  }

  if (isInstalled('systemd-analyze')) {
    it('has a timer that passes systemd-analyze with its service', () => {
      const service = at('connectorctl-backup.service');
      const timer = at('connectorctl-backup.timer');
      writeFileSync(service, unit.text.replaceAll('/usr/bin/connectorctl', process.execPath));
      writeFileSync(timer, readFileSync(path('connectorctl-backup.timer')));
      const {status, stderr} = spawnSync(
        'systemd-analyze',
        ['verify', '--man=no', service, timer],
        {encoding: 'utf8'},
      );
      expect([status, stderr]).to.deep.equal([0, '']);
    });
  }
});

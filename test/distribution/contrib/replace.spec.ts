import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'chai';
import {
  program,
  runChild,
  type Service,
  startChild,
  startService,
} from '../../support/process/child.js';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';
import {argumentsOf, unitAt} from '../../support/values/units.js';

/** The block of commands of a guide that this file runs. */
function block(guide: string): string {
  const page = readFileSync(join(root, 'docs', 'guides', guide), 'utf8');
  const mark = /<!-- run by test\/distribution\/contrib\/replace\.spec\.ts -->\n\n```sh\n(.*?)```/s;
  return mark.exec(page)?.[1] ?? '';
}

const identity = '/var/lib/private/connectorctl-connector/web-1/connector.json';

describe('the guide about replacing, followed after the guide about the unit', () => {
  const at = temporaryDirectory();
  let service: Service;

  beforeEach(async () => {
    mkdirSync(at('etc/systemd/system'), {recursive: true});
    mkdirSync(at('var/lib/private/connectorctl-connector/web-1'), {recursive: true});
    mkdirSync(at('bin'));
    mkdirSync(at('credentials'));
    const log = (name: string) => `#!/bin/sh\necho "${name} $*" >> '${at('log')}'\n`;
    writeFileSync(at('bin/npm'), log('npm'), {mode: 0o755});
    // LoadCredential= copies the token when the unit starts.
    const copy = `cp '${at('etc/connectorctl/web-1.token')}' '${at('credentials/token')}' 2>/dev/null || :\n`;
    writeFileSync(at('bin/systemctl'), `${log('systemctl')}${copy}`, {mode: 0o755});
    const words = program.map((word) => `'${word}'`).join(' ');
    writeFileSync(at('bin/connectorctl'), `#!/bin/sh\nexec ${words} "$@"\n`, {mode: 0o755});
    cpSync(join(root, 'contrib'), at('contrib'), {recursive: true});
    service = await startService(at('store'));
  });
  afterEach(() => service.stop());

  const operator = () => ({
    CONNECTORCTL_BASE_URL: service.url,
    CONNECTORCTL_API_KEY_FILE: at('store/first-api-key'),
    CONNECTORCTL_STORE: at('store'),
  });

  /** Runs the commands of a guide, with the directories of the system below a temporary one. */
  function follow(commands: string, env: Record<string, string> = {}) {
    const script = commands
      .replaceAll(/ \/(?=etc\/|var\/)/g, ` ${at()}/`)
      .replaceAll('https://connectors.example', service.url);
    const {status, stderr} = spawnSync('sh', ['-eu', '-c', script], {
      cwd: at(),
      encoding: 'utf8',
      env: {...process.env, ...operator(), ...env, PATH: `${at('bin')}:${process.env['PATH']}`},
    });
    expect(status, stderr).to.equal(0);
  }

  /** What systemd does with the unit until its first heartbeat is accepted. */
  async function startUnit(): Promise<void> {
    const argv = argumentsOf(unitAt(at('etc/systemd/system/connectorctl-heartbeat@.service')), {
      STATE_DIRECTORY: at(identity.slice(1, identity.lastIndexOf('/'))),
      CREDENTIALS_DIRECTORY: at('credentials'),
      i: 'web-1',
    });
    const [, value = ''] =
      /=(.*)/.exec(readFileSync(at('etc/connectorctl/connector.env'), 'utf8')) ?? [];
    const {process: child, ended} = startChild(argv, {env: {CONNECTORCTL_BASE_URL: value}});
    child.stdout!.once('data', () => child.kill('SIGTERM'));
    const {code, stdout, stderr} = await ended;
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('online');
  }

  const saved = () => JSON.parse(readFileSync(at(identity.slice(1)), 'utf8'));

  it('gives the machine a new key and keeps its id, and the unit starts again', async () => {
    writeFileSync(at('token'), (await runChild(['token', 'create'], {env: operator()})).stdout);
    follow(block('keep-alive.md'));
    await startUnit();
    const before = saved();

    follow(block('replace.md'), {ID: before.connector_id});
    await startUnit();
    const after = saved();
    expect(after.connector_id).to.equal(before.connector_id);
    expect(after.api_key).not.to.equal(before.api_key);
    const list = await runChild(['connector', 'list', '-o', 'csv', '-c', 'name,status'], {
      env: operator(),
    });
    expect(list.stdout).to.equal('name,status\nweb-1,online\n');
    expect(readFileSync(at('log'), 'utf8')).to.match(
      /enable --now connectorctl-heartbeat@web-1\n.*restart connectorctl-heartbeat@web-1\n$/s,
    );
  });
});

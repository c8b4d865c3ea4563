import {spawnSync} from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {notice} from '../../support/notice.js';
import {root} from '../../support/sources.js';
import {describeWith} from '../installed.js';

/** The block of shell of a page that has this text, for the service of the trial. */
function block(page: string, text: string): string {
  const blocks = readFileSync(join(root, 'docs', page), 'utf8').matchAll(/```sh\n(.*?)```/gs);
  const found = [...blocks].find(([, one = '']) => one.includes(text))?.[1];
  if (found === undefined) throw new Error(`docs/${page} has no block with ${text}`);
  return found.replaceAll('https://connectors.example', 'http://127.0.0.1:4480');
}

const services = ['serve', 'backup', 'heartbeat@web-1', 'agent@web-2', 'check', 'monitor'];
const timers = ['backup', 'check', 'monitor'];
const show = (ends: readonly string[]) =>
  `systemctl show -p Id,ActiveState,Result,NRestarts ${ends.map((end) => `connectorctl-${end}`).join(' ')}`;

/** The file for cron in docs/check.md, for every minute. */
const [, cronFile = ''] =
  /```text\n(# Once: install .*?)```/s.exec(readFileSync(join(root, 'docs/check.md'), 'utf8')) ??
  [];
const cron = cronFile
  .replace('https://connectors.example', 'http://127.0.0.1:4480')
  .replace('*/5', '*');

/** Runs as root on the booted machine: what the pages say, and each service once. */
const trial = `
set -eu
cd /trial
export npm_config_offline=true HOME=/root
${block('guides/production.md', 'sysusers')}
cd /trial && ln -s "$OLDPWD/contrib"
export CONNECTORCTL_BASE_URL=http://127.0.0.1:4480 CONNECTORCTL_API_KEY_FILE=/var/lib/connectorctl/store/first-api-key
connectorctl token create > token
${block('guides/keep-alive.md', 'connectorctl-heartbeat@web-1')}
connectorctl token create | install -m 600 /dev/stdin /etc/connectorctl/web-2.token
printf '%s\\n' '#!/bin/sh' 'exec sleep infinity' | install -m 755 /dev/stdin /usr/local/bin/agent
sed -i 's/ --check "[^"]*"//' /etc/systemd/system/connectorctl-agent@.service
systemctl daemon-reload
systemctl enable --now connectorctl-agent@web-2
${block('guides/monitor.md', 'connectorctl-monitor.timer').replace('contrib/monitor/webhook.sh', '/bin/true')}
install -d -o prometheus /var/lib/prometheus/node-exporter
cp contrib/check/*.service contrib/check/*.timer /etc/systemd/system/
cp /etc/connectorctl/connector.env /etc/connectorctl/check.env
cp /etc/connectorctl/api-key /etc/connectorctl/check.key
systemctl enable --now connectorctl-check.timer
for one in backup check monitor; do systemctl start connectorctl-$one; done
cp -a /var/lib/connectorctl-backups/store.*Z copy
connectorctl key list --json --store copy | jq -r '.[].id' > keys-of-copy
connectorctl key list --json --store /var/lib/connectorctl/store | jq -r '.[].id' > keys
for turn in 1 2 3; do systemctl restart connectorctl-heartbeat@web-1; done
{ ${show(services)}; echo; ${show(timers.map((name) => `${name}.timer`))}; } > started
ls /var/lib/connectorctl-backups > backups
mv /var/lib/prometheus/node-exporter/connectorctl.prom unit.prom
# Backups of 2020 to 2022 beside it, of which a run that keeps two removes what is too old, and a run that fails nothing.
try_backup() {
  printf '%s\n' "$@" > /etc/connectorctl/backup.env
  systemctl start connectorctl-backup && echo made >> tries || echo failed >> tries
  systemctl stop connectorctl-backup
  systemctl reset-failed connectorctl-backup
  ls /var/lib/connectorctl-backups | sed 's/store.2[1-9].*//' | tr '\n' ' ' >> tries
}
(cd /var/lib/connectorctl-backups && mkdir store.20200101T000000Z store.20210101T000000Z store.old)
cp -a copy damaged && truncate -s 40 damaged/store.jsonl && chown -R connectorctl /trial
try_backup KEEP=0
try_backup KEEP=
try_backup KEEP=1 CONNECTORCTL_STORE=/trial/damaged
try_backup KEEP=2
identity=/var/lib/private/connectorctl-connector/web-1/connector.json
jq '{connector_id, api_key}' $identity > before.json
ID=$(jq -r .connector_id $identity)
export CONNECTORCTL_STORE=/var/lib/connectorctl/store
${block('guides/replace.md', 'store reissue "$ID"')}
timeout 60 sh -c "until [ -e $identity ]; do sleep 0.2; done"
jq '{connector_id, api_key}' $identity > after.json
connectorctl connector list -o csv -c name,status > list.csv
systemctl stop connectorctl-check.timer
# Where install.sh puts the program.
ln -s /usr/lib/node_modules/connectorctl/bin/run.js /usr/local/bin/connectorctl
rm /usr/bin/connectorctl
install -m 600 -o prometheus /etc/connectorctl/api-key /etc/connectorctl/cron.key
cat > /etc/cron.d/connectorctl << 'END'
${cron}END
systemctl start cron
timeout 100 sh -c 'until [ -e /var/lib/prometheus/node-exporter/connectorctl.prom ]; do sleep 1; done'
cp /var/lib/prometheus/node-exporter/connectorctl.prom cron.prom
systemctl stop connectorctl-heartbeat@web-1 connectorctl-agent@web-2 connectorctl-serve
${show(services)} > stopped
rm /etc/cron.d/connectorctl
${block('guides/production.md', 'userdel')}
# What a user ran is in its own cache.
find /etc /var -name '*connectorctl*' -not -path '*/.cache/*' > left
`;

const unit = `[Unit]
After=basic.target
[Service]
Type=oneshot
ExecStart=/bin/bash -x /trial/trial.sh
ExecStopPost=/bin/sh -c 'journalctl -b --no-pager -o cat > /trial/journal; systemctl poweroff'
`;

const run = (program: string, ...words: string[]) =>
  spawnSync(program, words, {
    encoding: 'utf8',
    env: {...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '0'},
    timeout: 250_000,
  });

/**
 * systemd 252 of Debian 12 as process 1 of a container over this machine's files, of which it changes none, without a
 * network but its own loopback.
 */
describeWith(['nspawn', 'cron', 'nodeExporter'], 'the units of contrib on a booted machine', () => {
  let directory: string;
  const at = (...names: string[]) => join(directory, ...names);
  const result = (name: string) => readFileSync(at('root', 'trial', name), 'utf8');
  const statesIn = (name: string) =>
    new Map(
      result(name)
        .split('\n\n')
        .map((one) => {
          const [, id = ''] = /^Id=connectorctl-(.*)$/m.exec(one) ?? [];
          return [
            id,
            one
              .match(/^(ActiveState|Result|NRestarts)=.*$/gm)
              ?.sort()
              .join(' '),
          ];
        }),
    );

  before(function () {
    this.timeout(300_000);
    directory = mkdtempSync(join(tmpdir(), 'connectorctl-boot-'));
    for (const name of ['root', 'upper', 'work']) mkdirSync(at(name));
    const overlay = `lowerdir=/,upperdir=${at('upper')},workdir=${at('work')}`;
    const mounted = run('mount', '-t', 'overlay', 'overlay', '-o', overlay, at('root'));
    const leaveOut = (reason: string) => {
      notice(`Left out: the units of contrib on a booted machine. ${reason.trim()}`);
      this.skip();
    };
    if (mounted.status !== 0) leaveOut(mounted.stderr);
    mkdirSync(at('root', 'trial'));
    writeFileSync(at('root', 'trial', 'trial.sh'), trial);
    writeFileSync(at('root', 'etc/systemd/system/trial.service'), unit);
    // Without its scripts, which build anew what other tests run meanwhile.
    const places = ['--cache', at('npm'), '--pack-destination', at('root', 'trial')];
    const packed = run('npm', 'pack', '--ignore-scripts', ...places);
    expect(packed.status, packed.stderr).to.equal(0);
    const booted = run(
      ...(['systemd-nspawn', '--quiet', '--boot', '--private-network', '--register=no'] as const),
      ...['--keep-unit', `--directory=${at('root')}`, '--', 'systemd.unit=trial.service'],
      'systemd.mask=systemd-networkd-wait-online.service',
    );
    if (!existsSync(at('root', 'trial', 'journal'))) leaveOut(booted.stdout + booted.stderr);
    expect(existsSync(at('root', 'trial', 'left')), result('journal')).to.equal(true);
  });
  after(() => {
    run('umount', at('root'));
    if (readdirSync(at('root')).length === 0) rmSync(directory, {force: true, recursive: true});
  });

  it('all start as the pages say', () => {
    const states = statesIn('started');
    for (const name of services) {
      const isLasting = !['backup', 'check', 'monitor'].includes(name);
      const state = isLasting ? 'active' : 'inactive';
      expect(states.get(`${name}.service`), name).to.equal(
        `ActiveState=${state} NRestarts=0 Result=success`,
      );
    }
    for (const name of timers)
      expect(states.get(`${name}.timer`), name).to.equal('ActiveState=active Result=success');
  });

  it('make a checked copy of a store that is in use, and metrics of the check', () => {
    expect(result('backups')).to.match(/^store\.\d{8}T\d{6}Z\n$/);
    expect(result('keys')).not.to.equal('');
    expect(result('keys-of-copy')).to.equal(result('keys'));
    expect(result('unit.prom')).to.match(/^connectorctl_check_success\{.*\} 1$/m);
  });

  it('remove the oldest backups beyond those to keep, and none when the backup fails', () => {
    const tries = result('tries').replaceAll(/store\.(?!202[01]0101)\d\S+Z/g, 'store.new');
    const kept = 'failed\nstore.20200101T000000Z store.20210101T000000Z store.new store.old ';
    expect(tries).to.equal(`${kept.repeat(3)}made\nstore.new store.new store.old `);
    expect(result('journal')).to.include('store.jsonl, line 1: it is truncated');
  });

  it('give the machine a new key, and keep its id, as the guide about replacing says', () => {
    const [before, after] = ['before.json', 'after.json'].map((name) => JSON.parse(result(name)));
    expect(after.connector_id).to.equal(before.connector_id);
    expect(after.api_key).not.to.equal(before.api_key);
    expect(result('list.csv').split('\n').sort()).to.deep.equal([
      '',
      'name,status',
      'web-1,online',
      'web-2,online',
    ]);
  });

  it('end without a failure, after their last notifications', () => {
    for (const [name, state] of statesIn('stopped'))
      expect(state, name).to.equal('ActiveState=inactive NRestarts=0 Result=success');
    expect(result('journal')).not.to.match(
      /Cannot notify|core dump|Unknown (lvalue|key)|bad-setting/i,
    );
  });

  it('leave nothing behind after the page on removal', () => {
    expect(result('left')).to.equal('');
  });

  it('have an equal in the file for cron, which finds the program of install.sh', () => {
    expect(result('cron.prom')).to.match(/^connectorctl_check_success\{.*\} 1$/m);
    expect(result('cron.prom')).to.match(/^connectorctl_check_rule_success\{.*max-offline.*\} 1$/m);
  });
});

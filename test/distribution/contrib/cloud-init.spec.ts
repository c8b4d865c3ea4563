import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {expect} from 'chai';
import {parse} from 'yaml';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const read = (...names: string[]) => readFileSync(join(root, 'contrib', ...names), 'utf8');
const userData = read('cloud-init', 'user-data.yaml');
const {write_files: files, runcmd} = parse(userData) as {
  write_files: {path: string; permissions: string; content: string}[];
  runcmd: [string, string, string][];
};
const unit = read('systemd', 'connectorctl-heartbeat@.service');

describe('contrib/cloud-init/user-data.yaml', () => {
  const at = temporaryDirectory();

  /** Runs the commands as at a first boot, with the files below a directory; programs of the system write their words. */
  function boot(deb: string, checksum: string) {
    mkdirSync(at('bin'));
    mkdirSync(at('etc'));
    for (const name of ['apt-get', 'systemctl']) {
      writeFileSync(at('bin', name), `#!/bin/sh\necho "${name} $*" >> '${at('log')}'\n`, {
        mode: 0o755,
      });
    }
    writeFileSync(
      at('bin', 'curl'),
      `#!/bin/sh\nfor url; do :; done\nprintf '${deb}' > "\${url##*/}"\n`,
      {mode: 0o755},
    );
    const here = (text: string) =>
      text.replaceAll('/etc/connectorctl', at('etc')).replace('CHECKSUM', checksum);
    for (const {path, content} of files) writeFileSync(here(path), content);
    for (const [program, flags, script] of runcmd) {
      const env = {PATH: `${at('bin')}:${process.env['PATH']}`, TMPDIR: at()};
      const {status} = spawnSync(program, [flags, here(script)], {env, stdio: 'ignore'});
      if (status !== 0) return status;
    }
    return 0;
  }
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('installs nothing that has another checksum', () => {
    expect(boot('changed', sha256('package'))).to.equal(1);
    expect(existsSync(at('log'))).to.equal(false);
  });

  it('installs the package, and enables the unit of the host with its token and its settings', () => {
    expect(boot('package', sha256('package'))).to.equal(0);
    expect(readFileSync(at('log'), 'utf8').split('\n')).to.deep.equal([
      'apt-get install --yes ./connectorctl_0.1.0_amd64.deb',
      `systemctl enable --now connectorctl-heartbeat@${hostname()}`,
      '',
    ]);
    expect(files.map(({permissions}) => permissions)).to.deep.equal(['0600', '0600']);
    const settings = readFileSync(at('etc', 'connector.env'), 'utf8');
    expect(settings).to.match(/^CONNECTORCTL_BASE_URL=https:\S+\n$/);
    expect(unit).to.include('EnvironmentFile=-/etc/connectorctl/connector.env\n');
    expect(unit).to.include('LoadCredential=token:/etc/connectorctl/%i.token\n');
    expect(readFileSync(at('etc', `${hostname()}.token`), 'utf8')).to.equal('act_TOKEN\n');
  });
});

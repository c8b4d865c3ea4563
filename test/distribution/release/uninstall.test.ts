import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect} from 'chai';
import {root} from '../../support/sources.js';
import {temporaryDirectory} from '../../support/temporary-directory.js';

const page = readFileSync(join(root, 'docs', 'uninstall.md'), 'utf8');
/** The commands of the page for files of the system; test/distribution/executable runs the others. */
const ofSystem =
  /<!-- run by test\/distribution\/release\/uninstall\.test\.ts -->\n\n```sh\n(.*?)```/s.exec(
    page,
  )?.[1] ?? '';

describe('docs/uninstall.md', () => {
  const path = temporaryDirectory();

  /** The units of the project and of its examples, and what they read and write. */
  const units = ['systemd', 'monitor', 'check'].flatMap((directory) =>
    readdirSync(join(root, 'contrib', directory))
      .filter((name) => /\.(service|timer|sysusers)$/.test(name))
      .map((name) => ({name, text: readFileSync(join(root, 'contrib', directory, name), 'utf8')})),
  );

  it('removes the units, and every file of the system that they name', () => {
    const named = units.flatMap(({text}) => [
      ...[...text.matchAll(/(?:=|:| )-?(\/(?:etc|var)\/[\w./-]+\/[\w.-]+)/g)].map(
        ([, file = '']) => file,
      ),
      ...[...text.matchAll(/^StateDirectory=(\S+)$/gm)].flatMap(([, name]) => [
        `/var/lib/${name}/file`,
        // Of a unit with DynamicUser=.
        ...(/^DynamicUser=/m.test(text) ? [`/var/lib/private/${name}/file`] : []),
      ]),
    ]);
    const planted = [
      ...named,
      ...units.map(({name}) =>
        name.endsWith('.sysusers')
          ? '/etc/sysusers.d/connectorctl.conf'
          : `/etc/systemd/system/${name}`,
      ),
    ].filter((file) => /connectorctl/.test(file));
    expect(planted.length).to.be.above(8);
    // The longest first: a directory is a part of another name.
    for (const file of planted.sort((a, b) => b.length - a.length)) {
      mkdirSync(dirname(path(file)), {recursive: true});
      if (!existsSync(path(file))) writeFileSync(path(file), '');
    }
    const wants = path('etc/systemd/system/multi-user.target.wants');
    mkdirSync(wants);
    symlinkSync('../connectorctl-serve.service', join(wants, 'connectorctl-serve.service'));
    mkdirSync(path('bin'));
    for (const name of ['systemctl', 'userdel']) {
      writeFileSync(path('bin', name), `#!/bin/sh\necho ${name} "$@"\n`);
      chmodSync(path('bin', name), 0o755);
    }
    const script = ofSystem.replaceAll(/ (?=\/(etc|var)\/)/g, ` "${path()}"`);
    const env = {PATH: `${path('bin')}:${process.env['PATH']}`};
    const calls = execFileSync('sh', ['-eu', '-c', script], {encoding: 'utf8', env});
    const left = planted.filter((file) => existsSync(path(file)));
    expect([...left, ...readdirSync(wants)]).to.deep.equal([]);
    expect(calls.split('\n')).to.include.members([
      'systemctl stop connectorctl-*',
      'systemctl daemon-reload',
      'userdel connectorctl',
    ]);
  });
});

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {completionScripts} from '../../src/cli/completion/scripts.js';
import {root} from '../build/root.js';
import type {Release} from './tools.js';

const units = join(root, 'contrib', 'systemd');

/** Where a distribution keeps what others keep elsewhere. */
export interface Places {
  /** Completions of zsh. */
  readonly zsh: string;
  /** The file with the license. */
  readonly license: string;
  /** The changelog of the distribution, if it wants one. */
  readonly changelog?: string;
}

/**
 * Puts the files of a Linux package below a directory, as they are installed: readable for all, writable for
 * root, and with the time of the commit. Units are not enabled.
 *
 * @param from the files beside the executable
 */
export function plant(
  from: string,
  to: string,
  {epoch}: Release,
  {zsh, license, changelog}: Places,
): void {
  const put = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(join(to, path)), {recursive: true, mode: 0o755});
    writeFileSync(join(to, path), content);
    chmodSync(join(to, path), mode);
  };
  const read = (name: string) => readFileSync(join(from, name));
  mkdirSync(join(to, 'usr/bin'), {recursive: true});
  copyFileSync(join(from, 'connectorctl'), join(to, 'usr/bin/connectorctl'));
  chmodSync(join(to, 'usr/bin/connectorctl'), 0o755);
  // Without a time, so that the same page gives the same bytes.
  put('usr/share/man/man1/connectorctl.1.gz', gzipSync(read('connectorctl.1'), {level: 9}));
  put(license, read('LICENSE'));
  if (changelog !== undefined) {
    put('usr/share/doc/connectorctl/changelog.gz', gzipSync(changelog, {level: 9}));
  }
  for (const name of ['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'])
    put(join('usr/share/doc/connectorctl', name), read(name));
  put('usr/share/bash-completion/completions/connectorctl', completionScripts.bash);
  put(join(zsh, '_connectorctl'), completionScripts.zsh);
  put('usr/share/fish/vendor_completions.d/connectorctl.fish', completionScripts.fish);
  for (const name of readdirSync(units)) {
    const path = name.endsWith('.sysusers')
      ? 'usr/lib/sysusers.d/connectorctl.conf'
      : `usr/lib/systemd/system/${name}`;
    put(path, readFileSync(join(units, name)));
  }
  touch(to, epoch);
}

function touch(directory: string, epoch: number): void {
  for (const entry of readdirSync(directory, {recursive: true, encoding: 'utf8'}))
    utimesSync(join(directory, entry), epoch, epoch);
}

import {createHash} from 'node:crypto';
import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import type {Respond} from '../third-party.js';

/** Makes what the build leaves beside an executable; the executable is a script that prints its version. */
export function standIn(directory: string, version: string): void {
  mkdirSync(directory, {recursive: true});
  const script = `#!/bin/sh\necho "connectorctl/${version} $*"\n`;
  writeFileSync(join(directory, 'connectorctl'), script);
  chmodSync(join(directory, 'connectorctl'), 0o755);
  for (const name of ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'connectorctl.1', 'sbom.cdx.json'])
    writeFileSync(join(directory, name), `${name}\n`);
}

/** A file as the server sends it. */
export type Sent = string | Buffer;

/** SHA256SUMS of files. */
export function sumsOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
      return `${digest}  ${basename(file)}\n`;
    })
    .join('');
}

/** Serves one release below /owner/name as GitHub does: by its version and as the latest. */
export function releaseOf(version: string, files: Readonly<Record<string, Sent>>): Respond {
  const below = new RegExp(`^/owner/name/releases/(?:latest/download|download/v${version})/(.+)$`);
  return ({path}, response) => {
    const name = below.exec(path)?.[1] ?? '';
    const content = path === `/owner/name/releases/tag/v${version}` ? html : files[name];
    response.writeHead(content === undefined ? 404 : 200, {'content-type': 'text/html'});
    response.end(content ?? html);
  };
}

/** What a proxy or a portal answers in place of a file. */
export const html = '<!DOCTYPE html><html><body>Sign in</body></html>\n';
